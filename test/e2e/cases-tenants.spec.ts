import { startHoldfast, type Holdfast, type HttpTenant } from "../support/http.js";

let holdfast: Holdfast;
let keys = 0;
const key = () => ({ "idempotency-key": `key-${++keys}` });

beforeAll(async () => {
  holdfast = await startHoldfast();
});
afterAll(() => holdfast.stop());

const newJob = async (of: HttpTenant, body: object = {}) => (await of.call("POST", "/v1/jobs", body, key())).body.id;
const reserve = (of: HttpTenant, job: string, tokens: number) =>
  of.call("POST", `/v1/jobs/${job}/reservations`, { amounts: { tokens } }, key());
const settle = (of: HttpTenant, id: unknown, tokens: number) =>
  of.call("POST", `/v1/reservations/${id as string}/settle`, { actual: { tokens } });
const balance = async (of: HttpTenant, scope = "tenant") =>
  ((await of.call("GET", `/v1/balances?scope=${scope}`)).body.data as Record<string, unknown>[])[0]!;
const setLimit = (of: HttpTenant, body: object) =>
  holdfast.admin("PUT", `/v1/admin/tenants/${of.id}/allowances/tokens`, body);

async function until(what: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 4_000; !(await what());) if (Date.now() > end) throw new Error("not within 4 s");
}

describe("limits that change", () => {
  it("shows nothing available below what is used, and lets open work settle", async () => {
    const tenant = await holdfast.tenant({ allowances: { tokens: { limit: 1_000 } } });
    const job = await newJob(tenant);
    await settle(tenant, (await reserve(tenant, job, 300)).body.id, 300);
    const open = await reserve(tenant, job, 400);
    expect((await setLimit(tenant, { limit: 500 })).status).toBe(200);
    expect(await balance(tenant)).toMatchObject({ limit: 500, spent: 300, reserved: 400, available: 0, overage: 200 });
    expect((await reserve(tenant, job, 1)).status).toBe(402);
    expect((await settle(tenant, open.body.id, 100)).status).toBe(200);
    expect((await reserve(tenant, job, 100)).status).toBe(201);
    expect((await reserve(tenant, job, 1)).status).toBe(402);
  });

  it("keep their period and zone when only the limit is set, and what was used with them", async () => {
    const tenant = await holdfast.tenant({
      allowances: { tokens: { limit: 100, period: "day", timeZone: "Asia/Kolkata" } },
    });
    await settle(tenant, (await reserve(tenant, await newJob(tenant), 60)).body.id, 60);
    const { body } = await setLimit(tenant, { limit: 200 });
    expect(body).toMatchObject({ limit: 200, period: "day", timeZone: "Asia/Kolkata", balance: { spent: 60 } });
    expect((await setLimit(tenant, { limit: 200, period: "none" })).body).toMatchObject({ period: "none" });
  });

  it("cannot be led to the tenant by a user whose name means a path", async () => {
    const tenant = await holdfast.tenant({ allowances: { tokens: { limit: 100 } } });
    for (const user of [".", ".."]) {
      const { status, body } = await tenant.call("POST", "/v1/jobs", { user }, key());
      expect([status, body.code]).toEqual([400, "validation_failed"]);
    }
  });

  it("journals who changed a limit, from what to what", async () => {
    const tenant = await holdfast.tenant({ allowances: { tokens: { limit: 10 } } });
    const path = `/v1/admin/tenants/${tenant.id}/allowances/tokens/adjust`;
    expect((await holdfast.admin("POST", path, { delta: 5, reason: "top up" }, key())).status).toBe(200);
    const { body } = await tenant.call("GET", "/v1/ledger?type=limit");
    expect(body.data).toMatchObject([{ type: "limit", detail: { from: 10, to: 15, reason: "top up" } }]);
  });
});

describe("keys", () => {
  it("carry nothing of the meter: a new key finds the tenant as it was, replays and settles", async () => {
    const tenant = await holdfast.tenant({ allowances: { tokens: { limit: 100 } } });
    const job = await newJob(tenant);
    const same = key();
    const first = await tenant.call("POST", `/v1/jobs/${job}/reservations`, { amounts: { tokens: 100 } }, same);
    const made = await holdfast.admin("POST", `/v1/admin/tenants/${tenant.id}/keys`, { name: "second" });
    const second = { authorization: `Bearer ${made.body.key}` };
    const again = await tenant.call(
      "POST",
      `/v1/jobs/${job}/reservations`,
      { amounts: { tokens: 100 } },
      { ...same, ...second },
    );
    expect(again.body).toEqual(first.body);
    const denied = await tenant.call(
      "POST",
      `/v1/jobs/${job}/reservations`,
      { amounts: { tokens: 1 } },
      { ...key(), ...second },
    );
    expect(denied.status).toBe(402);
    const path = `/v1/reservations/${first.body.id}/settle`;
    expect((await tenant.call("POST", path, { actual: { tokens: 1 } }, second)).status).toBe(200);
  });
});

describe("suspended and deleted tenants", () => {
  it("get nothing new within two seconds under traffic, and may still settle", async () => {
    const tenant = await holdfast.tenant({ allowances: { tokens: { limit: 1_000 } } });
    const job = await newJob(tenant);
    const open = await reserve(tenant, job, 100);
    await holdfast.admin("POST", `/v1/admin/tenants/${tenant.id}/suspend`);
    const refused = await reserve(tenant, job, 1);
    expect([refused.status, refused.body.code]).toEqual([403, "tenant_suspended"]);
    expect((await settle(tenant, open.body.id, 60)).status).toBe(200);
    await holdfast.admin("POST", `/v1/admin/tenants/${tenant.id}/resume`);
    expect((await reserve(tenant, job, 1)).status).toBe(201);
  });

  it("are gone to their own key, and their history stays with the operator", async () => {
    const tenant = await holdfast.tenant({ allowances: { tokens: { limit: 1_000 } } });
    const job = await newJob(tenant);
    await settle(tenant, (await reserve(tenant, job, 100)).body.id, 60);
    expect((await holdfast.admin("DELETE", `/v1/admin/tenants/${tenant.id}`)).status).toBeLessThan(300);
    await until(async () => (await tenant.call("GET", "/v1/jobs")).status === 404);
    const ledger = await holdfast.admin("GET", `/v1/admin/tenants/${tenant.id}/ledger`);
    expect((ledger.body.data as { type: string }[]).map(({ type }) => type)).toEqual(["reserve", "settle"]);
  });
});

describe("jobs", () => {
  it("admit nothing once cancelled, settle what runs, and stay cancelled", async () => {
    const tenant = await holdfast.tenant({ allowances: { tokens: { limit: 1_000 } } });
    const job = await newJob(tenant);
    const open = await Promise.all(Array.from({ length: 10 }, () => reserve(tenant, job, 80)));
    const cancel = () => tenant.call("POST", `/v1/jobs/${job}/cancel`);
    expect((await cancel()).body.state).toBe("cancelled");
    expect((await reserve(tenant, job, 1)).body.code).toBe("job_not_open");
    const extended = await tenant.call("POST", `/v1/reservations/${open[0]!.body.id}/extend`, { ttlMs: 60_000 });
    expect([extended.status, extended.body.code]).toEqual([409, "job_not_open"]);
    for (const { body } of open) expect((await settle(tenant, body.id, 50)).status).toBe(200);
    expect((await cancel()).body.state).toBe("cancelled");
    expect(await balance(tenant)).toMatchObject({ reserved: 0, spent: 500 });
    await tenant.expectAtRest();
  });

  it("have identities of the server's making only", async () => {
    const tenant = await holdfast.tenant({ allowances: { tokens: { limit: 100 } } });
    const named = await tenant.call("POST", "/v1/jobs", { id: "mine" }, key());
    expect([named.status, named.body.code]).toEqual([400, "validation_failed"]);
    expect((await reserve(tenant, "job_00000000000000000000000000", 1)).status).toBe(404);
  });

  it("by the hundred are bounded by their user and their tenant", async () => {
    const tenant = await holdfast.tenant({ allowances: { tokens: { limit: 100 } }, userAllowance: { tokens: 30 } });
    const operations = Array.from({ length: 200 }, () => ({
      op: "createJob",
      user: "ada",
      idempotencyKey: key()["idempotency-key"],
    }));
    const made = await tenant.call("POST", "/v1/batch", { operations });
    const jobs = (made.body.results as unknown as { body: { id: string } }[]).map(({ body }) => body.id);
    const answers = await Promise.all(jobs.map((job) => reserve(tenant, job, 1)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(30);
    const scopes = answers.flatMap(({ status, body }) =>
      status === 402 ? [(body.scope as { kind: string }).kind] : [],
    );
    expect(new Set(scopes)).toEqual(new Set(["user"]));
  });
});

describe("observe", () => {
  it("never denies, and says what would have been denied", async () => {
    const tenant = await holdfast.tenant({ allowances: { tokens: { limit: 100 } }, enforcement: "observe" });
    const job = await newJob(tenant);
    const { status, body } = await reserve(tenant, job, 150);
    expect(status).toBe(201);
    expect(body.wouldDeny).toMatchObject({
      code: "exceeds_limit",
      scope: { kind: "tenant" },
      requested: 150,
      limit: 100,
    });
    expect(await balance(tenant)).toMatchObject({ reserved: 150, available: 0, overage: 50 });
  });

  it("never denies a grant, and the child job says for good what would have been denied", async () => {
    const tenant = await holdfast.tenant({ enforcement: "observe" });
    const parent = await tenant.job({ allowance: { tokens: 100 } });
    const { status, body } = await tenant.child(parent, 150);
    expect(status).toBe(201);
    expect(body.wouldDeny).toMatchObject({ code: "exceeds_limit", scope: { kind: "job", id: parent }, requested: 150 });
    expect((await tenant.call("GET", `/v1/jobs/${body.id}`)).body).toMatchObject({ wouldDeny: body.wouldDeny });
  });
});

describe("lists", () => {
  it("page through entries of one instant without a gap or a repeat while others are added", async () => {
    const tenant = await holdfast.tenant({ allowances: { tokens: { limit: 10_000 } } });
    const job = await newJob(tenant);
    const batch = (count: number) =>
      tenant.call("POST", "/v1/batch", {
        operations: Array.from({ length: count }, () => ({
          op: "reserve",
          jobId: job,
          amounts: { tokens: 1 },
          idempotencyKey: key()["idempotency-key"],
        })),
      });
    await batch(250);
    const seen: string[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const { body } = await tenant.call("GET", `/v1/ledger?limit=100${cursor && `&cursor=${cursor}`}`);
      seen.push(...(body.data as { id: string }[]).map(({ id }) => id));
      if (seen.length <= 250) await batch(20);
      cursor = body.nextCursor as string | null;
    }
    expect(seen.length).toBeGreaterThanOrEqual(250);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it.each(["limit=0", "limit=-1", "limit=1000000000", "limit=abc", "cursor=garbage"])("refuse %s", async (query) => {
    const tenant = await holdfast.tenant({ allowances: { tokens: { limit: 1 } } });
    expect((await tenant.call("GET", `/v1/ledger?${query}`)).status).toBe(400);
  });
});
