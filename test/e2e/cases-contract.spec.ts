import { PROBLEM_CODES } from "../../apps/api/problems/table.js";
import { startHoldfast, type Answer, type Holdfast, type HttpTenant } from "../support/http.js";

let holdfast: Holdfast;
let tenant: HttpTenant;
let jobId: string;

beforeAll(async () => {
  holdfast = await startHoldfast();
  tenant = await holdfast.tenant({ allowances: { tokens: { limit: 100 } } });
  jobId = await tenant.job();
});
afterAll(() => holdfast.stop());

describe("a problem", () => {
  const PROBLEMS: [number, string, () => Promise<Answer>][] = [
    [400, "validation_failed", () => tenant.reserve(jobId, { amounts: { tokens: -1 } })],
    [400, "idempotency_key_missing", () => tenant.call("POST", "/v1/jobs", {}, { "idempotency-key": null })],
    [401, "unauthenticated", () => tenant.call("GET", "/v1/jobs", undefined, { authorization: null })],
    [401, "unauthenticated", () => tenant.call("GET", "/v1/jobs", undefined, { authorization: "Bearer nobody" })],
    [402, "exceeds_limit", () => tenant.reserve(jobId, 101)],
    [403, "forbidden", () => tenant.call("GET", "/v1/admin/tenants")],
    [404, "not_found", () => tenant.call("GET", "/v1/jobs/job_00000000000000000000000000")],
    [404, "not_found", () => tenant.call("GET", "/v1/nowhere")],
    [404, "not_found", () => tenant.reserve("mine", 1)],
    [422, "unit_unknown", () => tenant.reserve(jobId, { amounts: { tokens: 1, calls: 1 } })],
    [422, "service_unknown", () => tenant.reserve(jobId, { amounts: { tokens: 1 }, service: "x" })],
  ];

  it.each(PROBLEMS)("of %i %s has the shape of RFC 9457", async (status, code, send) => {
    const { headers, body, ...answer } = await send();
    expect(answer.status).toBe(status);
    expect(headers.get("content-type")).toMatch(/^application\/problem\+json/);
    expect(body).toMatchObject({ status, code, retryable: false, type: `/docs/errors#${code}` });
    for (const member of ["title", "detail", "instance"]) expect(body[member]).toMatch(/./);
    expect(headers.get("retry-after")).toBeNull();
    expect(headers.get("x-should-retry")).toBe(status === 402 ? "false" : null);
    expect((await tenant.balance()).reserved).toBe(0);
  });

  it("of a request with several faults points to each", async () => {
    const { body } = await tenant.reserve(jobId, {
      plan: { children: 0, attempts: "2", attemptCost: { tokens: 1.5 } },
      ttlMs: 1,
      no: 1,
    });
    const pointers = (body["errors"] as { pointer: string; message: string }[]).map(({ pointer }) => pointer).sort();
    expect(pointers).toEqual(["/no", "/plan/attemptCost/tokens", "/plan/attempts", "/plan/children", "/ttlMs"]);
  });

  it("has its place on the page that its type names", async () => {
    const { body } = await tenant.call("GET", "/docs/errors");
    for (const code of PROBLEM_CODES) expect(body["text"]).toContain(`id="${code}"`);
  });
});

describe("OpenAPI", () => {
  it("is served, and names every route of the contract that there is", async () => {
    const { status, body } = await tenant.call("GET", "/openapi.json", undefined, { authorization: null });
    expect([status, body["openapi"]]).toEqual([200, "3.1.0"]);
    const paths = Object.keys(body["paths"] as object);
    const jobs = ["/v1/jobs", "/v1/jobs/{jobId}", "/v1/jobs/{jobId}/close", "/v1/jobs/{jobId}/cancel"];
    const reservations = ["/settle", "/release", "/extend", ""].map((end) => `/v1/reservations/{reservationId}${end}`);
    const others = ["/v1/jobs/{jobId}/reservations", "/v1/batch", "/v1/balances", "/v1/ledger", "/v1/admin/tenants"];
    for (const path of [...jobs, ...reservations, ...others]) expect(paths).toContain(path);
  });
});

describe("a replay", () => {
  it("is flagged, over a route and in a batch", async () => {
    const first = await tenant.call("POST", "/v1/jobs", { name: "a" }, { "idempotency-key": "same" });
    const again = await tenant.call("POST", "/v1/jobs", { name: "a" }, { "idempotency-key": "same" });
    expect([first, again].map(({ headers }) => headers.get("idempotency-replayed"))).toEqual([null, "true"]);
    expect(again.body).toEqual(first.body);
    const operations = [{ op: "createJob", name: "a", idempotencyKey: "same" }];
    const { body } = await tenant.call("POST", "/v1/batch", { operations });
    expect(body.results).toEqual([{ status: 201, body: first.body, replayed: true }]);
  });
});

describe("a dry run", () => {
  it("decides like the reservation itself, needs no key and changes nothing", async () => {
    const other = await holdfast.tenant({ allowances: { tokens: { limit: 100 } } });
    const job = await other.job();
    const path = `/v1/jobs/${job}/reservations`;
    const dry = (tokens: number) =>
      other.call("POST", path, { amounts: { tokens }, dryRun: true }, { "idempotency-key": null });
    expect((await dry(100)).body).toMatchObject({ dryRun: true, reserved: { tokens: 100 } });
    expect((await dry(101)).body.code).toBe("exceeds_limit");
    expect(await other.balance()).toMatchObject({ reserved: 0, spent: 0 });
    expect((await other.call("GET", path)).body["data"]).toEqual([]);
    expect((await other.call("GET", "/v1/ledger")).body["data"]).toEqual([]);
    await other.expectAtRest();
  });
});

describe("observe", () => {
  it("never denies at any scope, and says what each would have denied", async () => {
    const scopes = {
      allowances: { tokens: { limit: 100 } },
      userAllowance: { tokens: 50 },
      jobAllowance: { tokens: 20 },
    };
    const other = await holdfast.tenant({ enforcement: "observe", ...scopes });
    const job = await other.job({ user: "ada" });
    const answers = [];
    for (const tokens of [20, 30, 50, 200]) answers.push(await other.reserve(job, tokens));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(answers.map(({ body }) => (body["wouldDeny"] as { code?: string } | undefined)?.code)).toEqual([
      undefined,
      "exceeds_limit",
      "exceeds_limit",
      "exceeds_limit",
    ]);
    expect(await other.balance()).toMatchObject({ reserved: 300, available: 0, overage: 200 });
    await other.admin("PATCH", "", { enforcement: "enforce" });
    expect((await other.reserve(job, 1)).status).toBe(402);
    await other.expectAtRest();
  });
});

it("leaves the tenant of all the refusals as it was", () => tenant.expectAtRest());
