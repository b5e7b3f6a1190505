import { newService, planned, starterOf } from "../support/flow.js";
import { startHoldfast, type Holdfast, type HttpTenant } from "../support/http.js";
import { pages, rowsOf, type Row } from "../support/lists.js";

let holdfast: Holdfast;

beforeAll(async () => {
  holdfast = await startHoldfast();
});
afterAll(() => holdfast.stop());

describe("what the operator sees of a tenant's work", () => {
  it("is what the tenant sees: child jobs, reservations, attempts", async () => {
    const tenant = await holdfast.tenant();
    const jobId = await tenant.job({ user: "ada" });
    await tenant.child(jobId, 50);
    const plan = { body: { amounts: undefined, plan: { children: 2, attempts: 2, attemptCost: { tokens: 5 } } } };
    const reservation = await tenant.openReservation({ jobId, ...plan });
    await tenant.openReservation({ jobId, tokens: 10 });
    await tenant.charge(reservation, [1, 1], 5, "failed");
    await tenant.charge(reservation, [1, 2], 4);
    for (const path of [
      `/jobs/${jobId}`,
      `/jobs/${jobId}/children`,
      `/jobs/${jobId}/reservations`,
      `/reservations/${reservation}`,
      `/reservations/${reservation}/attempts`,
    ]) {
      const [own, operators] = [await tenant.call("GET", `/v1${path}`), await tenant.admin("GET", path)];
      expect([own.status, operators.status]).toEqual([200, 200]);
      expect(operators.body).toEqual(own.body);
    }
    expect(rowsOf(await tenant.admin("GET", `/reservations/${reservation}/attempts`))).toHaveLength(2);
  });

  it("is 404 under another tenant", async () => {
    const [tenant, other] = [await holdfast.tenant(), await holdfast.tenant()];
    const jobId = await tenant.job();
    const reservation = await tenant.openReservation({ jobId });
    for (const path of [
      `/jobs/${jobId}/children`,
      `/jobs/${jobId}/reservations`,
      `/reservations/${reservation}`,
      `/reservations/${reservation}/attempts`,
    ]) {
      expect((await other.admin("GET", path)).status).toBe(404);
    }
    expect((await other.admin("POST", `/jobs/${jobId}/cancel`)).status).toBe(404);
    expect((await tenant.call("GET", `/v1/jobs/${jobId}`)).body.state).toBe("open");
  });
});

describe("the operator's cancel", () => {
  it("reaches every descendant, is journalled once with who and why, and the tenant sees it", async () => {
    const tenant = await holdfast.tenant();
    const jobId = await tenant.job({ allowance: { tokens: 500 } });
    const child = (await tenant.child(jobId, 300)).body.id;
    const grandchild = (await tenant.child(child, 100)).body.id;
    const running = await tenant.openReservation({ jobId: grandchild, tokens: 60 });
    const cancel = () => tenant.admin("POST", `/jobs/${jobId}/cancel`, { reason: "runs away" });
    const first = await cancel();
    expect([first.status, first.body.state]).toEqual([200, "cancelled"]);
    const again = await tenant.admin("POST", `/jobs/${jobId}/cancel`);
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect((await tenant.reserve(grandchild, 1)).body.code).toBe("job_not_open");
    expect((await tenant.settle(running, 60)).status).toBe(200);
    const acts = rowsOf(await tenant.admin("GET", "/acts"));
    expect(acts).toMatchObject([{ act: "cancel", jobId, actor: "operator", reason: "runs away" }]);
    expect((await tenant.call("GET", `/v1/jobs/${jobId}`)).body).toMatchObject({
      state: "cancelled",
      endedBy: { actor: "operator", reason: "runs away" },
    });
    expect(await tenant.balance()).toMatchObject({ spent: 60, reserved: 0 });
    await tenant.expectAtRest();
  });

  it("of a job that its tenant closed is 409 job_not_open, and journals nothing", async () => {
    const tenant = await holdfast.tenant();
    const jobId = await tenant.job();
    await tenant.call("POST", `/v1/jobs/${jobId}/close`);
    const { status, body } = await tenant.admin("POST", `/jobs/${jobId}/cancel`, { reason: "late" });
    expect([status, body.code]).toEqual([409, "job_not_open"]);
    expect(rowsOf(await tenant.admin("GET", "/acts"))).toEqual([]);
  });

  it("racing with settles and the tenant's own cancel books each amount once", async () => {
    const tenant = await holdfast.tenant({ allowances: { tokens: { limit: 10_000 } } });
    for (let round = 0; round < 10; round++) {
      const jobId = await tenant.job();
      const ids = await Promise.all([1, 2, 3].map(() => tenant.openReservation({ jobId, tokens: 10 })));
      const [cancelled, own, ...settled] = await Promise.all([
        tenant.admin("POST", `/jobs/${jobId}/cancel`, { reason: `round ${round}` }),
        tenant.call("POST", `/v1/jobs/${jobId}/cancel`),
        ...ids.map((id) => tenant.settle(id, 7)),
      ]);
      expect([cancelled, own, ...settled].map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    }
    expect(await tenant.balance()).toMatchObject({ spent: 210, reserved: 0 });
    // Whichever of the two came first ended the job: the other changed nothing and is not journalled.
    const reasons = rowsOf(await tenant.admin("GET", "/acts")).map(({ reason }) => reason);
    expect(new Set(reasons).size).toBe(reasons.length);
    await tenant.expectAtRest();
  });
});

describe("a ledger, newest first", () => {
  it("is the ledger the other way round, and its pages stay as they are while entries are added", async () => {
    const tenant = await holdfast.tenant();
    for (let i = 0; i < 4; i++) await tenant.settle(await tenant.openReservation({ tokens: 10 }), i);
    const ids = (rows: readonly Row[]) => rows.map(({ id }) => id);
    const oldest = ids(await pages(tenant, "/ledger", 500));
    const newest = await pages(tenant, "/ledger?order=newest", 3, () => tenant.openReservation({ tokens: 1 }));
    expect(ids(newest)).toEqual([...oldest].reverse());
    const settled = await pages(tenant, "/ledger?order=newest&type=settle", 1);
    expect(settled.map(({ spent }) => spent)).toEqual([3, 2, 1, 0]);
    const own = rowsOf(await tenant.call("GET", "/v1/ledger?order=newest&limit=1"));
    expect(Number(own[0]!["id"])).toBeGreaterThan(Number(oldest.at(-1)));
  });

  it("refuses the cursor of the other order, and any other word", async () => {
    const tenant = await holdfast.tenant();
    for (let i = 0; i < 2; i++) await tenant.openReservation();
    const { body } = await tenant.admin("GET", "/ledger?limit=1");
    const crossed = await tenant.admin("GET", `/ledger?order=newest&cursor=${body["nextCursor"] as string}`);
    expect([crossed.status, crossed.body.code]).toEqual([400, "validation_failed"]);
    expect((await tenant.admin("GET", "/ledger?order=down")).status).toBe(400);
  });

  it("can be had of a service too", async () => {
    const service = await newService(holdfast, { allowances: { tokens: { limit: 100 } } });
    const tenant = await holdfast.tenant();
    for (const tokens of [1, 2]) await tenant.openReservation({ tokens, body: { service } });
    const { body } = await holdfast.admin("GET", `/v1/admin/services/${service}/ledger?order=newest&type=reserve`);
    expect((body["data"] as Row[]).map(({ reserved }) => reserved)).toEqual([2, 1]);
  });
});

describe("a service", () => {
  it("tells whose attempts hold its places, until they end", async () => {
    const service = await newService(holdfast, { concurrency: 3 });
    const [tenant, other] = [await holdfast.tenant(), await holdfast.tenant()];
    const start = async (of: HttpTenant) =>
      (await starterOf(of).permit(await of.openReservation(planned(1, 1)), { service })).body.id;
    const first = await start(tenant);
    await start(tenant);
    await start(other);
    const holders = async () =>
      ((await holdfast.admin("GET", `/v1/admin/services/${service}`)).body["live"] as Row)["holders"];
    expect(await holders()).toEqual({ [tenant.id]: 2, [other.id]: 1 });
    const finished = await starterOf(tenant).finish(first);
    expect([finished.status, finished.body.id]).toEqual([200, first]);
    expect(await holders()).toEqual({ [tenant.id]: 1, [other.id]: 1 });
    const { rows } = await holdfast.record.query<{ permit_id: string }>(
      "SELECT permit_id FROM attempts WHERE tenant_id = $1",
      [tenant.id],
    );
    expect(rows).toEqual([{ permit_id: first.split(".")[0] }]);
  });
});

describe("settings of tenants at services", () => {
  it("are listed by tenant and by service, until they are taken away", async () => {
    const [one, two] = [await newService(holdfast, {}), await newService(holdfast, {})];
    const [tenant, other] = [await holdfast.tenant(), await holdfast.tenant()];
    for (const name of [one, two]) await tenant.admin("PUT", `/services/${name}`, { concurrency: 3 });
    await other.admin("PUT", `/services/${one}`, { ratePerSecond: 1.5 });
    expect((await pages(tenant, "/services", 1)).map(({ name }) => name).sort()).toEqual([one, two].sort());
    const list = (more = "") => holdfast.admin("GET", `/v1/admin/services/${one}/tenants?limit=1${more}`);
    const first = await list();
    const second = await list(`&cursor=${first.body["nextCursor"] as string}`);
    expect([...rowsOf(first), ...rowsOf(second)]).toMatchObject([
      { tenantId: tenant.id, name: one, concurrency: 3 },
      { tenantId: other.id, name: one, ratePerSecond: 1.5 },
    ]);
    expect(second.body["nextCursor"]).toBeNull();
    await tenant.admin("DELETE", `/services/${one}`);
    expect((await pages(tenant, "/services", 1)).map(({ name }) => name)).toEqual([two]);
    expect((await holdfast.admin("GET", "/v1/admin/services/nobody/tenants")).status).toBe(404);
  });
});
