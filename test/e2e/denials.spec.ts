import pg from "pg";
import { countOf, denialsOf, explained, writtenDenials, type ListedDenial } from "../support/denials.js";
import { newService, planned } from "../support/flow.js";
import { startHoldfast, type Holdfast, type HttpTenant } from "../support/http.js";
import { startProcess, tenantWithJob } from "../support/program.js";
import { freshDatabase } from "../support/services.js";

let byCopies: Holdfast;
let byRecord: Holdfast;

beforeAll(async () => {
  const kept = { HOLDFAST_DENIALS_KEPT: "10" };
  [byCopies, byRecord] = await Promise.all([startHoldfast(kept), startHoldfast({ HOLDFAST_REDIS_URL: "off" })]);
});
afterAll(() => Promise.all([byCopies?.stop(), byRecord?.stop()]));

const bounded = {
  allowances: { tokens: { limit: 500 } },
  userAllowance: { tokens: 300 },
  jobAllowance: { tokens: 200 },
};

async function denied(tenant: HttpTenant, jobId: string, ask: number | object): Promise<void> {
  expect(await tenant.reserve(jobId, ask)).toMatchObject({ status: 402 });
}

/** A job of a user, with a movement or two, that is then denied until whoever shall decide has decided. */
async function deniedBy(decidedOn: string, holdfast: Holdfast) {
  const tenant = await holdfast.tenant(bounded);
  const jobId = await tenant.job({ user: "ada" });
  const held = await tenant.openReservation({ jobId, tokens: 120 });
  const settled = await tenant.openReservation({ jobId, tokens: 50 });
  await tenant.settle(settled, 40);
  await tenant.openReservation({ tokens: 100, user: "ada" });
  const { plan } = planned(3, 2, 20).body;
  let written: ListedDenial[] = [];
  for (let asked = 1; written[0]?.last["decidedOn"] !== decidedOn; asked += 1) {
    expect(asked).toBeLessThan(10);
    await denied(tenant, jobId, { plan });
    written = await writtenDenials(tenant, asked);
  }
  return { tenant, jobId, held, settled, denial: written[0] };
}

describe.each([
  ["record", () => byRecord],
  ["copies", () => byCopies],
] as const)("a denial that the %s decided", (decidedOn, holdfast) => {
  it("is listed with its reason and explained by every scope, its figures then and its last movements", async () => {
    const { tenant, jobId, held, settled, denial } = await deniedBy(decidedOn, holdfast());
    const figures = { limit: 200, spent: 40, reserved: 120, available: 40, requested: 120 };
    const scope = { kind: "job", id: jobId };
    const common = { code: "allowance_exhausted", observed: false, scope, unit: "tokens", jobId };
    expect(denial).toMatchObject(common);
    expect(denial.id).toMatch(/^dny_/);
    const plan = { children: 3, attempts: 2, attemptCost: { tokens: 20 } };
    expect(denial.last).toMatchObject({ ...figures, maxChildren: 1, scope, user: "ada", asked: { plan }, decidedOn });
    // What comes later is not what the denial was decided on.
    await tenant.settle(held, 120);
    const { scopes, wouldFit, ...row } = await explained(tenant, denial.id);
    expect(row).toEqual(denial);
    expect(wouldFit).toEqual({ children: 1, attempts: 0 });
    const of = { unit: "tokens", window: "none", requested: 120, overage: 0 };
    expect(scopes).toMatchObject([
      { ...of, scope, ...figures, fits: false, decided: true },
      { ...of, scope: { kind: "user", id: "ada" }, limit: 300, spent: 40, reserved: 220, available: 40, fits: false, decided: false },
      { ...of, scope: { kind: "tenant", id: tenant.id }, limit: 500, spent: 40, reserved: 220, available: 240, fits: true, decided: false },
    ]); // prettier-ignore
    expect(scopes[0]!.movements).toMatchObject([
      { type: "settle", reservationId: settled, jobId, reserved: -50, spent: 40 },
      { type: "reserve", reservationId: settled, jobId, reserved: 50, spent: 0 },
      { type: "reserve", reservationId: held, jobId, reserved: 120, spent: 0 },
    ]);
    expect(scopes[2]!.movements).toHaveLength(4);
    for (const { at } of scopes) expect(at <= (denial.last["at"] as string)).toBe(true);
  });

  it("is counted to the last in a storm of 2 000, in few rows", async () => {
    const tenant = await holdfast().tenant({ allowances: { tokens: { limit: 10 } } });
    const jobId = await tenant.job();
    const operations = Array.from({ length: 1_000 }, () => ({ op: "reserve", jobId, amounts: { tokens: 11 } }));
    const results = [...(await tenant.batch(operations)), ...(await tenant.batch(operations))];
    expect(results.filter(({ status }) => status === 402)).toHaveLength(2_000);
    expect((await tenant.reserve(jobId, { amounts: { tokens: 11 }, dryRun: true })).status).toBe(402);
    const rows = await writtenDenials(tenant, 2_000);
    expect(countOf(rows)).toBe(2_000);
    // A storm may run over the end of a minute.
    expect(rows.length).toBeLessThanOrEqual(2);
    expect(rows[0]).toMatchObject({ code: "exceeds_limit", jobId, scope: { kind: "tenant", id: tenant.id } });
  });
});

it("tells so many jobs of a storm apart and counts the others together", async () => {
  const tenant = await byRecord.tenant({ allowances: { tokens: { limit: 10 } } });
  const jobs = await tenant.batch(Array.from({ length: 300 }, () => ({ op: "createJob" })));
  await tenant.batch(jobs.map(({ body }) => ({ op: "reserve", jobId: body.id, amounts: { tokens: 11 } })));
  const rows = await writtenDenials(tenant, 300);
  expect(countOf(rows)).toBe(300);
  expect(rows.length).toBeLessThanOrEqual(2 * 101);
  const several = rows.filter(({ jobId }) => jobId === undefined);
  expect(several[0]).toMatchObject({ scope: { kind: "tenant", id: null } });
  expect((await explained(tenant, several[0]!.id)).scopes).toMatchObject([{}, { decided: true, requested: 11 }]);
});

it("of a tenant that only observes are marked, and nothing was denied", async () => {
  const tenant = await byCopies.tenant({ enforcement: "observe", allowances: { tokens: { limit: 100 } } });
  const jobId = await tenant.job({ allowance: { tokens: 100 } });
  const key = "again";
  for (const _ of [1, 2]) expect((await tenant.reserve(jobId, 150, key)).status).toBe(201);
  expect((await tenant.child(jobId, 60)).status).toBe(201);
  const [grant, reservation, ...others] = await writtenDenials(tenant, 2);
  expect(others).toEqual([]);
  expect(reservation).toMatchObject({ observed: true, code: "exceeds_limit", count: 1, last: { requested: 150 } });
  expect(grant).toMatchObject({ observed: true, last: { asked: { grant: { tokens: 60 } }, jobId } });
  const { scopes, wouldFit } = await explained(tenant, grant!.id);
  expect(scopes).toMatchObject([{ scope: { kind: "job", id: jobId }, reserved: 150, limit: 100, overage: 50, available: 0 }]); // prettier-ignore
  expect(wouldFit).toEqual({ amounts: { tokens: 0 } });
});

it("at a service shows a tenant the movements of its own work, and the operator all", async () => {
  const service = await newService(byCopies, { allowances: { tokens: { limit: 100 } } });
  const [one, other] = [await byCopies.tenant(), await byCopies.tenant()];
  await other.openReservation({ tokens: 60, body: { service } });
  await one.openReservation({ tokens: 30, body: { service } });
  const jobId = await one.job();
  await denied(one, jobId, { amounts: { tokens: 20 }, service });
  const [denial] = await writtenDenials(one, 1);
  expect(denial).toMatchObject({ service, scope: { kind: "service", id: service }, last: { available: 10 } });
  const at = async (scopes: Awaited<ReturnType<typeof explained>>["scopes"]) =>
    scopes.find(({ scope }) => scope.kind === "service")!.movements.map(({ reserved }) => reserved);
  expect(await at((await explained(one, denial!.id)).scopes)).toEqual([30]);
  const { body } = await one.admin("GET", `/denials/${denial!.id}`);
  // Nothing moved when its limit was set.
  expect(await at(body["scopes"] as Awaited<ReturnType<typeof explained>>["scopes"])).toEqual([30, 60, 0]);
});

describe("the list", () => {
  let tenant: HttpTenant;
  let jobs: string[];

  beforeAll(async () => {
    const allowances = { tokens: { limit: 50 }, calls: { limit: 5 } };
    tenant = await byCopies.tenant({ allowances, userAllowance: { tokens: 40 } });
    jobs = [await tenant.job(), await tenant.job({ user: "ada" })];
    await tenant.openReservation({ jobId: jobs[0]!, tokens: 45 });
    await denied(tenant, jobs[0]!, 10);
    await denied(tenant, jobs[0]!, { amounts: { calls: 6 } });
    await denied(tenant, jobs[1]!, 41);
    await denied(tenant, jobs[1]!, 10);
    await writtenDenials(tenant, 4);
  });

  it("pages newest first, and skips and repeats nothing while more comes in", async () => {
    const all = await denialsOf(tenant);
    const first = await tenant.call("GET", "/v1/denials?limit=2");
    await denied(tenant, jobs[0]!, { amounts: { tokens: 1, calls: 6 } });
    await denied(tenant, jobs[1]!, { amounts: { calls: 6 } });
    await writtenDenials(tenant, countOf(all) + 2);
    const second = await tenant.call("GET", `/v1/denials?limit=500&cursor=${first.body["nextCursor"] as string}`);
    const ids = [first, second].flatMap(({ body }) => (body["data"] as ListedDenial[]).map(({ id }) => id));
    expect(ids).toEqual(all.map(({ id }) => id));
    expect(ids).toEqual(ids.toSorted().reverse());
  });

  it.each([
    ["kind=user", 1],
    ["unit=calls", 2],
    ["code=exceeds_limit&unit=tokens", 1],
    ["kind=service", 0],
  ])("is narrowed by %s", async (query, least) => {
    const all = await denialsOf(tenant);
    const wanted = new URLSearchParams(query);
    const fits = ({ scope, unit, code }: ListedDenial) =>
      Object.entries({ kind: scope.kind, unit, code }).every(([name, value]) => (wanted.get(name) ?? value) === value);
    expect(await denialsOf(tenant, `?${query}`)).toEqual(all.filter(fits));
    expect(all.filter(fits).length).toBeGreaterThanOrEqual(least);
  });

  it("is narrowed by the job that asked", async () => {
    const found = await denialsOf(tenant, `?jobId=${jobs[1]!}`);
    expect(found.map(({ jobId }) => jobId)).toContain(jobs[1]);
    expect(new Set(found.map(({ jobId }) => jobId)).size).toBe(1);
  });

  it("stays readable for the operator when the tenant is deleted", async () => {
    const gone = await byCopies.tenant({ allowances: { tokens: { limit: 1 } } });
    await denied(gone, await gone.job(), 2);
    const [denial] = await writtenDenials(gone, 1);
    await gone.admin("DELETE");
    expect((await gone.admin("GET", "/denials")).body["data"]).toEqual([denial]);
    expect((await gone.admin("GET", `/denials/${denial!.id}`)).body.id).toBe(denial!.id);
    expect((await tenant.call("GET", `/v1/denials/${denial!.id}`)).status).toBe(404);
  });

  it("keeps the newest rows of each tenant, and none that is too old", async () => {
    const [many, old] = [await byCopies.tenant(), await byCopies.tenant()];
    const add = (id: string, rows: number, age: string) =>
      byCopies.record.query(
        `INSERT INTO denials (tenant_id, id, minute, kind, scope_id, unit, code, service, job_id, observed, count,
           first_at, last_at, last, ledger_seq)
         SELECT $1, 'dny_' || lpad(n::text, 2, '0'), t, 'tenant', '', 'tokens', 'exceeds_limit', '', n::text, false, 1, t, t, '{}', 1
         FROM generate_series(1, $2::int) AS n, (SELECT holdfast_now() - $3::interval AS t) AS age`,
        [id, rows, age],
      );
    await add(many.id, 25, "6 days 23 hours");
    await add(old.id, 5, "7 days 1 hour");
    await byCopies.admin("POST", "/v1/admin/reconcile", { tasks: ["retention"] });
    const left = async ({ id }: HttpTenant) =>
      (await byCopies.record.query("SELECT job_id FROM denials WHERE tenant_id = $1 ORDER BY id", [id])).rows.map(
        ({ job_id: n }: { job_id: string }) => Number(n),
      );
    expect(await left(many)).toEqual([16, 17, 18, 19, 20, 21, 22, 23, 24, 25]);
    expect(await left(old)).toEqual([]);
  });
});

it("are written by a process that is told to stop right after", async () => {
  const database = await freshDatabase();
  const holdfast = await startProcess({ HOLDFAST_DATABASE_URL: database.url, HOLDFAST_REDIS_URL: "off" });
  const { tenant, key, job } = await tenantWithJob(holdfast, 10);
  const ask = { amounts: { units: 11 } };
  for (const n of [1, 2, 3])
    expect((await holdfast.call(key, "POST", `/v1/jobs/${job}/reservations`, ask, `k${n}`)).status).toBe(402);
  await holdfast.end("SIGTERM");
  const record = new pg.Client({ connectionString: database.url });
  await record.connect();
  const sql = "SELECT sum(count)::int AS count FROM denials WHERE tenant_id = $1";
  expect((await record.query(sql, [tenant])).rows).toEqual([{ count: 3 }]);
  await record.end();
  await database.drop();
});
