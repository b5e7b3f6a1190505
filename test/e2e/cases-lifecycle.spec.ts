import { setTimeout as sleep } from "node:timers/promises";
import { startHoldfast, type Holdfast, type HttpTenant } from "../support/http.js";

let holdfast: Holdfast;

beforeAll(async () => {
  holdfast = await startHoldfast({ HOLDFAST_COMMIT_TIMEOUT_MS: "900" });
});
afterAll(() => holdfast.stop());

const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

describe("limits that move while work is admitted", () => {
  it("leave exact figures, and no admission above the highest of them", async () => {
    const tenant = await holdfast.tenant({ allowances: { tokens: { limit: 500 } } });
    const jobId = await tenant.job();
    const changes = times(20, (i) => tenant.setLimit(i % 2 === 0 ? 300 : 600));
    const answers = await Promise.all(times(100, () => tenant.reserve(jobId, 10)));
    expect((await Promise.all(changes)).map(({ status }) => status)).toEqual(times(20, () => 200));
    const admitted = answers.filter(({ status }) => status === 201).length;
    expect(answers.every(({ status }) => status === 201 || status === 402)).toBe(true);
    expect((await tenant.balance()).reserved).toBe(admitted * 10);
    expect(admitted).toBeGreaterThanOrEqual(30);
    expect(admitted).toBeLessThanOrEqual(60);
    await tenant.expectAtRest();
  });

  it("are refused in a change as they are when a tenant is made, and what is not named stays", async () => {
    const tenant = await holdfast.tenant({ userAllowance: { tokens: 50 }, jobAllowance: { tokens: 40 } });
    for (const value of [-1, "5", 1.5, "unlimited"]) {
      expect((await tenant.admin("PATCH", "", { userAllowance: { tokens: value } })).status).toBe(400);
    }
    const { body } = await tenant.admin("PATCH", "", { name: "b" });
    expect(body).toMatchObject({ name: "b", userAllowance: { tokens: 50 }, jobAllowance: { tokens: 40 } });
    await tenant.expectAtRest();
  });
});

describe("a job that is cancelled", () => {
  it("keeps what its children spent, gives the rest back by their deadline, and stays cancelled", async () => {
    const tenant = await holdfast.tenant({ jobAllowance: { tokens: 1_000 } });
    const jobId = await tenant.job();
    const ids = await Promise.all(times(10, () => tenant.openReservation({ jobId, tokens: 80 })));
    const cancel = () => tenant.call("POST", `/v1/jobs/${jobId}/cancel`);
    const first = await cancel();
    const denied = await tenant.batch([{ op: "reserve", jobId, amounts: { tokens: 1 } }]);
    expect(denied[0]!.body.code).toBe("job_not_open");
    for (const id of ids.slice(0, 5)) expect((await tenant.settle(id, 90)).status).toBe(200);
    for (const id of ids.slice(5)) await tenant.expire(id);
    expect(await tenant.balance(`job:${jobId}`)).toMatchObject({ spent: 450, reserved: 0 });
    expect((await cancel()).body).toEqual(first.body);
    expect((await tenant.call("POST", `/v1/jobs/${jobId}/close`)).status).toBe(409);
    const { body } = await tenant.call("GET", `/v1/jobs/${jobId}`);
    expect(body).toMatchObject({ state: "cancelled", reservations: { open: 0, settled: 5, expired: 5 } });
    await tenant.expectAtRest();
  });

  it("after it was closed stays closed, and admits nothing", async () => {
    const tenant = await holdfast.tenant();
    const jobId = await tenant.job();
    await tenant.call("POST", `/v1/jobs/${jobId}/close`);
    expect((await tenant.call("POST", `/v1/jobs/${jobId}/cancel`)).status).toBe(409);
    expect((await tenant.call("GET", `/v1/jobs/${jobId}`)).body.state).toBe("closed");
    expect((await tenant.reserve(jobId, 0)).body.code).toBe("job_not_open");
    await tenant.expectAtRest();
  });
});

describe("1000 new jobs of one user", () => {
  it.each([
    ["user", { allowances: { tokens: { limit: 10_000 } }, userAllowance: { tokens: 300 } }],
    ["tenant", { allowances: { tokens: { limit: 300 } }, userAllowance: { tokens: 10_000 } }],
  ])("take together no more than the limit of the %s", async (kind, fields) => {
    const tenant = await holdfast.tenant({ ...fields, jobAllowance: { tokens: 10 } });
    const made = await tenant.batch(times(1_000, () => ({ op: "createJob", user: "ada" })));
    const asks = made.map(({ body }) => ({ op: "reserve", jobId: body.id, amounts: { tokens: 1 } }));
    const results = await tenant.batch(asks);
    expect(results.filter(({ status }) => status === 201)).toHaveLength(300);
    expect(new Set(results.flatMap(({ status, body }) => (status === 402 ? [body.scope.kind] : [])))).toEqual(
      new Set([kind]),
    );
    await tenant.expectAtRest();
  });
});

describe("a tenant that is gone", () => {
  it("leaves nothing to another of the same name", async () => {
    const first = await holdfast.tenant({ name: "same" });
    const id = await first.openReservation({ tokens: 100 });
    expect((await first.admin("DELETE")).status).toBeLessThan(300);
    const second = await holdfast.tenant({ name: "same" });
    expect(await second.balance()).toMatchObject({ spent: 0, reserved: 0, available: 1_000 });
    expect((await second.call("GET", `/v1/reservations/${id}`)).status).toBe(404);
    expect((await second.call("GET", "/v1/jobs")).body["data"]).toEqual([]);
    expect((await first.admin("GET")).body).toMatchObject({ name: "same", state: "deleted" });
    await second.expectAtRest();
  });
});

describe("the ledger", () => {
  it("in pages shows 250 entries of one instant once each, while another client adds, and sums to what is spent", async () => {
    const tenant = await holdfast.tenant({ allowances: { tokens: { limit: 100_000 } } });
    const jobId = await tenant.job();
    const made = await tenant.batch(times(250, () => ({ op: "reserve", jobId, amounts: { tokens: 0 } })));
    const settles = made.map(({ body }, i) => ({ op: "settle", reservationId: body.id, actual: { tokens: i + 1 } }));
    expect((await tenant.batch(settles)).every(({ status }) => status === 200)).toBe(true);
    const seen: { id: string; spent: number }[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const { body } = await tenant.call("GET", `/v1/ledger?type=settle&limit=100${cursor && `&cursor=${cursor}`}`);
      seen.push(...(body["data"] as typeof seen));
      if (cursor === "") await tenant.batch(times(50, () => ({ op: "reserve", jobId, amounts: { tokens: 1 } })));
      cursor = body["nextCursor"] as string | null;
    }
    expect([seen.length, new Set(seen.map(({ id }) => id)).size]).toEqual([250, 250]);
    const spent = seen.reduce((sum, entry) => sum + entry.spent, 0);
    expect(await tenant.balance()).toMatchObject({ spent, reserved: 50 });
    await tenant.expectAtRest();
  });
});

describe("an idempotency key", () => {
  const raw = (tenant: HttpTenant, jobId: string, text: string, key: string) =>
    tenant.call("POST", `/v1/jobs/${jobId}/reservations`, text, { "idempotency-key": key });

  it("knows the same JSON with other blanks and order", async () => {
    const tenant = await holdfast.tenant();
    const jobId = await tenant.job();
    const first = await raw(tenant, jobId, '{"ttlMs":5000,"amounts":{"tokens":10}}', "k");
    const again = await raw(tenant, jobId, ' {\n "amounts" : { "tokens":10 },"ttlMs": 5000 } ', "k");
    expect([again.body, again.headers.get("idempotency-replayed")]).toEqual([first.body, "true"]);
    expect((await tenant.balance()).reserved).toBe(10);
    await tenant.expectAtRest();
  });

  it("of other than visible ASCII is 400", async () => {
    const tenant = await holdfast.tenant();
    const jobId = await tenant.job();
    for (const key of ["schl\u00fcssel", "a\tb", "a b"]) {
      expect((await raw(tenant, jobId, '{"amounts":{"tokens":1}}', key)).status).toBe(400);
    }
    await tenant.expectAtRest();
  });
});

describe("503", () => {
  it("says how long to wait, and who waits so long is admitted under the same key, once", async () => {
    const tenant = await holdfast.tenant();
    const jobId = await tenant.job();
    const blocker = await holdfast.record.connect();
    await blocker.query("BEGIN");
    await blocker.query("LOCK TABLE tenants IN ACCESS EXCLUSIVE MODE");
    const refused = await tenant.reserve(jobId, 10, "k");
    await blocker.query("ROLLBACK");
    blocker.release();
    expect([refused.status, refused.body.code, refused.body["retryable"]]).toEqual([503, "ledger_unavailable", true]);
    const wait = refused.headers.get("retry-after");
    expect(wait).toMatch(/^[1-9]\d*$/);
    expect(refused.body["retryAfter"]).toBe(Number(wait));
    await sleep(Number(wait) * 1_000);
    expect((await tenant.reserve(jobId, 10, "k")).status).toBe(201);
    expect((await tenant.balance()).reserved).toBe(10);
    expect(holdfast.serverErrors.splice(0)).toHaveLength(1);
    await tenant.expectAtRest();
  });
});
