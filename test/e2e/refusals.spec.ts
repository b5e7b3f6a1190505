import { startHoldfast, type Answer, type Holdfast, type HttpTenant } from "../support/http.js";

let holdfast: Holdfast;
beforeAll(async () => {
  holdfast = await startHoldfast();
});
afterAll(() => holdfast?.stop());

interface Given {
  readonly tenant: HttpTenant;
  readonly jobId: string;
}

/** A reservation of 10 tokens that is closed by this call. */
async function closed({ tenant, jobId }: Given, how: string, body?: object): Promise<string> {
  const path = `/v1/reservations/${(await tenant.reserve(jobId, 10)).body.id}`;
  await tenant.call("POST", `${path}/${how}`, body);
  return path;
}

const used = { actual: { tokens: 1 } };
const admin = (given: Given, method: string, path: string, body?: object) =>
  holdfast.admin(method, `/v1/admin/tenants/${given.tenant.id}${path}`, body);

/** One way to each refusal; what needs an outage or a stop is shown where these are made. */
const REFUSALS: Record<string, (given: Given) => Promise<Answer>> = {
  "400 validation_failed": ({ tenant, jobId }) => tenant.reserve(jobId, { amounts: { tokens: "1" } }),
  "400 idempotency_key_missing": ({ tenant }) => tenant.call("POST", "/v1/jobs", {}, { "idempotency-key": null }),
  "401 unauthenticated": ({ tenant }) => tenant.call("GET", "/v1/jobs", undefined, { authorization: null }),
  "402 allowance_exhausted": async ({ tenant, jobId }) => {
    await tenant.reserve(jobId, 600);
    return tenant.reserve(jobId, 600);
  },
  "402 exceeds_limit": ({ tenant, jobId }) => tenant.reserve(jobId, 1_001),
  "403 forbidden": ({ tenant }) => tenant.call("GET", "/v1/admin/tenants"),
  "403 tenant_suspended": async (given) => {
    await admin(given, "POST", "/suspend");
    return given.tenant.reserve(given.jobId, 1);
  },
  "404 not_found": ({ tenant }) => tenant.call("GET", "/v1/jobs/job_00000000000000000000000000"),
  "409 job_not_open": async ({ tenant, jobId }) => {
    await tenant.call("POST", `/v1/jobs/${jobId}/close`);
    return tenant.reserve(jobId, 1);
  },
  "409 already_settled": async (given) =>
    given.tenant.call("POST", `${await closed(given, "settle", used)}/settle`, { actual: { tokens: 2 } }),
  "409 already_released": async (given) => given.tenant.call("POST", `${await closed(given, "release")}/settle`, used),
  "409 reservation_expired": async ({ tenant, jobId }) => {
    const { body } = await tenant.reserve(jobId, { amounts: { tokens: 1 }, ttlMs: 1_000 });
    await new Promise((resolve) => setTimeout(resolve, Date.parse(body["expiresAt"] as string) - Date.now() + 50));
    return tenant.call("POST", `/v1/reservations/${body.id}/release`);
  },
  "409 conflict": (given) => admin(given, "POST", "/allowances/tokens/adjust", { delta: -1_001, reason: "too much" }),
  "422 idempotency_key_reused": async ({ tenant, jobId }) => {
    await tenant.reserve(jobId, 1, "one");
    return tenant.reserve(jobId, 2, "one");
  },
  "422 unit_unknown": ({ tenant, jobId }) => tenant.reserve(jobId, { amounts: { constructor: 1 } }),
  "422 service_unknown": ({ tenant, jobId }) => tenant.reserve(jobId, { amounts: { tokens: 1 }, service: "model" }),
};

describe("a refusal", () => {
  it.each(Object.entries(REFUSALS))(
    "%s is a problem that says so, and no reason to send it again",
    async (name, refuse) => {
      const tenant = await holdfast.tenant();
      const { status, body, headers } = await refuse({ tenant, jobId: await tenant.job() });
      const [wanted, code] = name.split(" ");
      expect(headers.get("content-type")).toContain("application/problem+json");
      expect(body).toMatchObject({ type: `/docs/errors#${code}`, status: Number(wanted), code, retryable: false });
      expect(status).toBe(Number(wanted));
      expect(headers.get("retry-after")).toBeNull();
      expect(headers.get("x-should-retry")).toBe(status === 402 ? "false" : null);
    },
  );
});
