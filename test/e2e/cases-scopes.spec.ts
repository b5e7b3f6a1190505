import { startHoldfast, type Answer, type Holdfast, type HttpTenant, type Result } from "../support/http.js";

let holdfast: Holdfast;

beforeAll(async () => {
  holdfast = await startHoldfast();
});
afterAll(() => holdfast.stop());

const PLENTY = 10_000;
const KINDS = ["job", "user", "tenant"] as const;
type Kind = (typeof KINDS)[number];

/** The tenant's fields with this limit at one scope and plenty at the others. */
function fieldsOf(kind: Kind, limit: number): object {
  const at = (other: Kind) => ({ tokens: kind === other ? limit : PLENTY });
  return { allowances: { tokens: { limit: at("tenant").tokens } }, userAllowance: at("user"), jobAllowance: at("job") };
}

type Try = (tenant: HttpTenant, jobId: string, body: object) => Promise<Result | Answer>;

const WAYS: Record<string, Try> = {
  reserve: (tenant, jobId, body) => tenant.reserve(jobId, body),
  "reserve in a batch": async (tenant, jobId, body) => (await tenant.batch([{ op: "reserve", jobId, ...body }]))[0]!,
  "reserve what may be partial": (tenant, jobId, body) => tenant.reserve(jobId, { ...body, admit: "partial" }),
  "dry run": (tenant, jobId, body) => tenant.reserve(jobId, { ...body, dryRun: true }),
  "dry run in a batch": async (tenant, jobId, body) =>
    (await tenant.batch([{ op: "reserve", jobId, ...body, dryRun: true }]))[0]!,
};
const TABLE = Object.keys(WAYS).flatMap((way) => KINDS.map((kind) => ({ way, kind })));

describe("no way round a limit", () => {
  it.each(TABLE)("of the $kind: $way", async ({ way, kind }) => {
    const tenant = await holdfast.tenant(fieldsOf(kind, 100));
    const jobId = await tenant.job({ user: "ada" });
    const one = { plan: { children: 1, attempts: 1, attemptCost: { tokens: 150 } } };
    const denied = await WAYS[way]!(tenant, jobId, one);
    expect([denied.status, denied.body.scope.kind]).toEqual([402, kind]);
    const fits = await WAYS[way]!(tenant, jobId, { plan: { children: 1, attempts: 1, attemptCost: { tokens: 100 } } });
    expect(fits.status).toBe(way.startsWith("dry") ? 200 : 201);
    expect((await tenant.balance()).reserved).toBe(way.startsWith("dry") ? 0 : 100);
    await tenant.expectAtRest();
  });

  it.each(KINDS)("of the %s: a partial admission is as large as fits and no larger", async (kind) => {
    const tenant = await holdfast.tenant(fieldsOf(kind, 100));
    const plan = { children: 15, attempts: 1, attemptCost: { tokens: 30 } };
    const { status, body } = await tenant.reserve(await tenant.job({ user: "ada" }), { plan, admit: "partial" });
    expect([status, body["reserved"]]).toEqual([201, { tokens: 90 }]);
    await tenant.expectAtRest();
  });

  it.each(KINDS)("of the %s: settling above the hold is booked at every scope", async (kind) => {
    const tenant = await holdfast.tenant(fieldsOf(kind, 100));
    const jobId = await tenant.job({ user: "ada" });
    const id = await tenant.openReservation({ tokens: 50, jobId });
    const [settled] = await tenant.batch([{ op: "settle", reservationId: id, actual: { tokens: 150 } }]);
    expect(settled!.body["overage"]).toEqual({ tokens: 100 });
    for (const scope of ["tenant", "user:ada", `job:${jobId}`]) expect((await tenant.balance(scope)).spent).toBe(150);
    expect((await tenant.reserve(jobId, 1)).body.scope.kind).toBe(kind);
    await tenant.expectAtRest();
  });
});

describe("a charge beyond the hold", () => {
  it.each(KINDS)("is booked at every scope, and denies what comes next at the %s", async (kind) => {
    const tenant = await holdfast.tenant(fieldsOf(kind, 100));
    const jobId = await tenant.job({ user: "ada" });
    const id = await tenant.openReservation({ tokens: 50, jobId });
    for (const attempt of [1, 2, 3]) expect((await tenant.charge(id, [1, attempt], 30)).status).toBe(201);
    const scopes = ["tenant", "user:ada", `job:${jobId}`];
    for (const scope of scopes) expect(await tenant.balance(scope)).toMatchObject({ reserved: 0, spent: 90 });
    await tenant.batch([
      { op: "charge", reservationId: id, child: 1, attempt: 4, outcome: "failed", actual: { tokens: 60 } },
    ]);
    for (const scope of scopes) expect((await tenant.balance(scope)).spent).toBe(150);
    expect((await tenant.reserve(jobId, 1)).body.scope.kind).toBe(kind);
    await tenant.expectAtRest();
  });
});

describe("a limit of 0", () => {
  const shown = async (tenant: HttpTenant, kind: Kind, jobId: string) =>
    (await tenant.balance(kind === "tenant" ? kind : kind === "user" ? "user:ada" : `job:${jobId}`)).limit;

  it.each(KINDS)("from the start lets nothing be spent at the %s, and is shown as 0", async (kind) => {
    const tenant = await holdfast.tenant(fieldsOf(kind, 0));
    const jobId = await tenant.job({ user: "ada" });
    const denied = await tenant.reserve(jobId, 1);
    expect([denied.status, denied.body.scope.kind, denied.body["limit"]]).toEqual([402, kind, 0]);
    expect((await tenant.reserve(jobId, 0)).status).toBe(201);
    expect(await shown(tenant, kind, jobId)).toBe(0);
    const { body } = await tenant.admin("GET");
    const of = { tenant: "allowances", user: "userAllowance", job: "jobAllowance" }[kind];
    expect(body[of]).toMatchObject({ tokens: kind === "tenant" ? { limit: 0 } : 0 });
    await tenant.expectAtRest();
  });

  it.each<[string, Kind, (tenant: HttpTenant) => Promise<Answer>]>([
    ["tenant", "tenant", (tenant) => tenant.setLimit(0)],
    ["users' default", "user", (tenant) => tenant.admin("PATCH", "", { userAllowance: { tokens: 0 } })],
    ["user's own", "user", (tenant) => tenant.setLimit(0, { user: "ada" })],
    ["jobs' default", "job", (tenant) => tenant.admin("PATCH", "", { jobAllowance: { tokens: 0 } })],
  ])("set later where it was 500 lets nothing more be spent: %s", async (_, kind, change) => {
    const tenant = await holdfast.tenant(fieldsOf(kind, 500));
    await tenant.openReservation({ tokens: 1, user: "ada" });
    expect((await change(tenant)).status).toBe(200);
    const jobId = await tenant.job({ user: "ada" });
    const denied = await tenant.reserve(jobId, 1);
    expect([denied.status, denied.body.scope.kind, denied.body["limit"]]).toEqual([402, kind, 0]);
    expect(await shown(tenant, kind, jobId)).toBe(0);
    await tenant.expectAtRest();
  });

  it("of a job itself binds under a default that has room", async () => {
    const tenant = await holdfast.tenant(fieldsOf("job", 500));
    const jobId = await tenant.job({ allowance: { tokens: 0 } });
    const denied = await tenant.reserve(jobId, 1);
    expect([denied.status, denied.body.scope]).toEqual([402, { kind: "job", id: jobId }]);
    expect((await tenant.call("GET", `/v1/jobs/${jobId}`)).body["allowance"]).toEqual({ tokens: 0 });
    await tenant.expectAtRest();
  });

  it("is not the same as unlimited, which is a word", async () => {
    const tenant = await holdfast.tenant({ allowances: { tokens: { limit: "unlimited" } } });
    const jobId = await tenant.job();
    expect((await tenant.reserve(jobId, 1_000_000)).status).toBe(201);
    expect((await tenant.balance()).limit).toBe("unlimited");
    await tenant.setLimit(0);
    expect((await tenant.reserve(jobId, 1)).status).toBe(402);
    await tenant.expectAtRest();
  });

  it("of time is 400 and not the default", async () => {
    const tenant = await holdfast.tenant();
    const { status, body } = await tenant.reserve(await tenant.job(), { amounts: { tokens: 1 }, ttlMs: 0 });
    expect([status, body["errors"]]).toEqual([
      400,
      [{ pointer: "/ttlMs", message: expect.stringContaining("integer") as string }],
    ]);
    await tenant.expectAtRest();
  });

  it("of planned cost is admitted, holds nothing, and can be settled", async () => {
    const tenant = await holdfast.tenant();
    const plan = { children: 2, attempts: 3, attemptCost: { tokens: 0 } };
    const { status, body } = await tenant.reserve(await tenant.job(), { plan });
    expect([status, body["reserved"]]).toEqual([201, { tokens: 0 }]);
    expect((await tenant.settle(body.id, 7)).body["overage"]).toEqual({ tokens: 7 });
    expect(await tenant.balance()).toMatchObject({ reserved: 0, spent: 7 });
    await tenant.expectAtRest();
  });
});
