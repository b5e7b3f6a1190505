import { bound, denial, PLENTY, serviceBalance, tenantAt, times, twoTenantsAt, WAYS } from "../support/at-service.js";
import { newService, planned, starterOf } from "../support/flow.js";
import { HttpTenant, type Holdfast } from "../support/http.js";
import { Replicas } from "../support/replicas.js";

/** Two tenants and one service, whose allowance binds them together, at two processes. */
let replicas: Replicas;
let holdfast: Holdfast;

beforeAll(async () => {
  replicas = await Replicas.start();
  holdfast = replicas.at(0);
});
afterEach(() => replicas.record.expectSound());
afterAll(() => replicas.stop());

const balanceOf = (service: string) => serviceBalance(holdfast, service);
const twoTenants = (limit: number | string, more: object = {}) => twoTenantsAt(replicas, limit, more);

describe("a service's allowance", () => {
  it("is shown with what was taken of it, replaced as a whole, and journalled", async () => {
    const { service, first, hold } = await twoTenants(1_000, { period: "day", timeZone: "Europe/Berlin" });
    const path = `/v1/admin/services/${service}`;
    const id = await hold(first, 300);
    expect((await first.tenant.call("GET", `/v1/reservations/${id}`)).body).toMatchObject({ service });
    const shown = (await holdfast.admin("GET", path)).body;
    expect(shown).toMatchObject({ ...bound(1_000, { period: "day", timeZone: "Europe/Berlin" }), version: 1 });
    expect(await balanceOf(service)).toMatchObject({
      ...{ scope: { kind: "service", id: service }, window: expect.stringMatching(/^day@/) as string },
      ...{ limit: 1_000, reserved: 300, spent: 0, available: 700, overage: 0 },
    });
    expect((await holdfast.admin("PUT", path, { concurrency: 3 })).body).toMatchObject({ concurrency: 3, version: 2 });
    const without = (await holdfast.admin("GET", path)).body;
    expect([without["allowances"], without["balances"]]).toEqual([undefined, []]);
    expect((await first.tenant.settle(id, 250)).status).toBe(200);
    await holdfast.admin("PUT", path, bound(400, { period: "day", timeZone: "Europe/Berlin" }));
    expect(await balanceOf(service)).toMatchObject({ limit: 400, reserved: 0, spent: 250, available: 150 });
    const journal = (await holdfast.admin("GET", `${path}/ledger?type=limit`)).body["data"] as object[];
    const scope = { kind: "service", id: service };
    expect(journal).toMatchObject([
      { detail: { scope, to: 1_000, actor: "operator" } },
      { detail: { scope, from: 1_000, to: "unlimited", actor: "operator" } },
      { detail: { scope, to: 400, actor: "operator" } },
    ]);
    const work = (await holdfast.admin("GET", `${path}/ledger?reservationId=${id}`)).body["data"] as object[];
    const detail = { tenantId: first.tenant.id };
    expect(work).toMatchObject([
      { type: "reserve", reserved: 300, scopes: [scope], detail },
      { type: "settle", reserved: -300, spent: 250, scopes: [scope], detail },
    ]);
  });

  it("is of no tenant: tenants do not list it, and its book is no tenant's id", async () => {
    const { service, second } = await twoTenants(10);
    const path = `/v1/admin/tenants/service:${service}`;
    for (const route of ["", "/balances", "/ledger"])
      expect((await holdfast.admin("GET", path + route)).status).toBe(404);
    expect((await holdfast.admin("PUT", `${path}/allowances/tokens`, { limit: 99 })).status).toBe(404);
    const { body } = await holdfast.admin("GET", "/v1/admin/tenants?limit=500");
    expect(JSON.stringify(body)).not.toContain(service);
    const entries = (await second.tenant.call("GET", "/v1/ledger")).body["data"];
    expect(JSON.stringify(entries)).not.toContain(service);
  });

  it("binds only the units that it names, and only reservations that name it; an unknown service is refused", async () => {
    const { service, first, ask } = await twoTenants(100);
    const { tenant, jobId } = first;
    await tenant.setLimit(PLENTY, { unit: "calls" });
    expect((await tenant.reserve(jobId, { amounts: { calls: 500 }, service })).status).toBe(201);
    expect((await tenant.reserve(jobId, 500)).status).toBe(201);
    const unknown = await tenant.reserve(jobId, { ...ask(1), service: "nobody" });
    expect([unknown.status, unknown.body.code]).toEqual([422, "service_unknown"]);
    expect(await balanceOf(service)).toMatchObject({ reserved: 0, spent: 0 });
    expect(await tenant.balance()).toMatchObject({ reserved: 500 });
  });

  it("that denies leaves nothing taken at any scope, of 50 requests at once of two tenants", async () => {
    const { service, first, second, ask } = await twoTenants(100);
    const answers = await Promise.all(
      times(50, (i) => [first, second][i % 2]!.tenant.reserve([first, second][i % 2]!.jobId, ask(200))),
    );
    const expected = [402, "exceeds_limit", { kind: "service", id: service }];
    for (const answer of answers) expect(denial(answer)).toEqual(expected);
    for (const { tenant, jobId } of [first, second]) {
      for (const scope of ["tenant", "user:ada", `job:${jobId}`]) {
        for (const balance of await tenant.balances(scope)) expect(balance).toMatchObject({ reserved: 0, spent: 0 });
      }
    }
    expect(await balanceOf(service)).toMatchObject({ reserved: 0, spent: 0, available: 100 });
  });

  it.each(WAYS)("has no way round it: %s", async (_, fields, reserve) => {
    const { service, first, second, hold } = await twoTenants(100);
    await hold(first, 60);
    const plan = (tokens: number) => ({
      plan: { children: 1, attempts: 1, attemptCost: { tokens } },
      service,
      ...fields,
    });
    const denied = await reserve(second.tenant, second.jobId, plan(41));
    expect(denial(denied)).toEqual([402, "allowance_exhausted", { kind: "service", id: service }]);
    expect(denied.body).toMatchObject({ limit: 100, reserved: 60, spent: 0, available: 40, requested: 41 });
    expect((await reserve(second.tenant, second.jobId, plan(40))).status).toBe("dryRun" in fields ? 200 : 201);
  });

  it("admits in part what fits all tenants together", async () => {
    const { service, first, second, hold } = await twoTenants(100);
    await hold(first, 30);
    const plan = { children: 9, attempts: 1, attemptCost: { tokens: 20 } };
    const { body } = await second.tenant.reserve(second.jobId, { plan, service, admit: "partial" });
    expect(body["reserved"]).toEqual({ tokens: 60 });
  });

  it("of 0 lets nothing be spent, and is shown as 0, also where it is set later", async () => {
    const { service, first, ask } = await twoTenants(0);
    const { tenant, jobId } = first;
    expect(denial(await tenant.reserve(jobId, ask(1)))[2]).toEqual({ kind: "service", id: service });
    expect((await tenant.reserve(jobId, ask(0))).status).toBe(201);
    expect(await balanceOf(service)).toMatchObject({ limit: 0, available: 0 });
    const path = `/v1/admin/services/${service}`;
    await holdfast.admin("PUT", path, bound(500));
    expect((await tenant.reserve(jobId, ask(1))).status).toBe(201);
    await holdfast.admin("PUT", path, bound(0));
    expect((await tenant.reserve(jobId, ask(1))).body["limit"]).toBe(0);
    await holdfast.admin("PUT", path, bound("unlimited"));
    expect((await tenant.reserve(jobId, ask(900_000))).status).toBe(201);
  });

  it("admits exactly itself and not one more, whoever asks, and 0 always", async () => {
    const { service, first, second, ask, hold } = await twoTenants(1_000);
    const all = await hold(first, 1_000);
    expect(await balanceOf(service)).toMatchObject({ reserved: 1_000, available: 0, overage: 0 });
    expect((await second.tenant.reserve(second.jobId, ask(1))).status).toBe(402);
    expect((await second.tenant.reserve(second.jobId, ask(0))).status).toBe(201);
    await first.tenant.settle(all, 999);
    expect((await second.tenant.reserve(second.jobId, ask(2))).status).toBe(402);
    expect((await second.tenant.reserve(second.jobId, ask(1))).status).toBe(201);
  });

  it("admits exactly 150 of 400 requests at once for 1 each, of two tenants at two processes", async () => {
    const { service, first, second, ask } = await twoTenants(150);
    const callers = [first, second].map(({ tenant, jobId }) =>
      times(2, (i) => ({ tenant: new HttpTenant(replicas.at(i), tenant.id, tenant.key), jobId })),
    );
    const answers = await Promise.all(
      times(400, (i) => {
        const { tenant, jobId } = callers[i % 2]![Math.floor(i / 2) % 2]!;
        return tenant.reserve(jobId, ask(1));
      }),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(150);
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(250);
    const held = await Promise.all([first, second].map(async ({ tenant }) => (await tenant.balance()).reserved));
    expect(held[0]! + held[1]!).toBe(150);
    expect(await balanceOf(service)).toMatchObject({ reserved: 150, available: 0 });
  });
});

describe("what was reserved for a service", () => {
  it("is booked there in full, as overage too, by settle and by charge, and denies all tenants what comes next", async () => {
    const { service, first, second, ask, hold } = await twoTenants(100);
    const [one, other] = [await hold(first, 50), await hold(second, 50)];
    for (const attempt of [1, 2, 3]) await first.tenant.charge(one, [1, attempt], 30);
    expect(await balanceOf(service)).toMatchObject({ reserved: 50, spent: 90, available: 0, overage: 40 });
    expect((await second.tenant.settle(other, 180)).body["overage"]).toEqual({ tokens: 130 });
    expect(await balanceOf(service)).toMatchObject({ reserved: 0, spent: 270, overage: 170 });
    for (const { tenant, jobId } of [first, second]) {
      expect(denial(await tenant.reserve(jobId, ask(1)))[2]).toEqual({ kind: "service", id: service });
    }
    await holdfast.admin("PUT", `/v1/admin/services/${service}`, bound(271));
    expect((await first.tenant.reserve(first.jobId, ask(1))).status).toBe(201);
  });

  it("comes back there when it is released or expires, and is booked once where it settles late", async () => {
    const { service, first, second, hold } = await twoTenants(100);
    const [one, other] = [await hold(first, 40), await hold(second, 60)];
    expect((await first.tenant.release(one)).status).toBe(200);
    await second.tenant.expire(other);
    expect(await balanceOf(service)).toMatchObject({ reserved: 0, spent: 0, available: 100 });
    for (const _ of [1, 2]) expect((await second.tenant.settle(other, 25)).body).toMatchObject({ late: true });
    expect(await balanceOf(service)).toMatchObject({ reserved: 0, spent: 25, available: 75 });
  });

  it("of a suspended, and of a deleted tenant, settles or comes back there", async () => {
    const { service, first, second, ask, hold } = await twoTenants(100);
    const [one, other] = [await hold(first, 40), await hold(second, 60)];
    await first.tenant.admin("POST", "/suspend");
    await second.tenant.admin("DELETE");
    expect((await first.tenant.reserve(first.jobId, ask(0))).body.code).toBe("tenant_suspended");
    expect((await first.tenant.settle(one, 30)).status).toBe(200);
    await second.tenant.expire(other);
    expect(await balanceOf(service)).toMatchObject({ reserved: 0, spent: 30, available: 70 });
  });

  it("of a tenant that only observes is never denied, but counts, so that others are", async () => {
    const { service, second, ask } = await twoTenants(100);
    const { tenant, jobId } = await tenantAt(replicas.at(0), { enforcement: "observe" });
    const { status, body } = await tenant.reserve(jobId, ask(150));
    expect([status, body["wouldDeny"]]).toMatchObject([201, { scope: { kind: "service", id: service } }]);
    expect(await balanceOf(service)).toMatchObject({ reserved: 150, available: 0, overage: 50 });
    expect((await second.tenant.reserve(second.jobId, ask(0))).status).toBe(402);
  });

  it("belongs to the window of the service's own period in which it was taken", async () => {
    const start = Date.parse("2027-03-01T10:59:59.999Z");
    await holdfast.freezeClock(start);
    const { service, first, second, ask, hold } = await twoTenants(100, { period: "hour" });
    const id = await hold(first, 100);
    expect((await second.tenant.reserve(second.jobId, ask(1))).status).toBe(402);
    await holdfast.freezeClock(start + 1);
    expect(await balanceOf(service)).toMatchObject({ window: "hour@2027-03-01T11:00:00.000Z", available: 100 });
    expect((await second.tenant.reserve(second.jobId, ask(100))).status).toBe(201);
    await first.tenant.settle(id, 70);
    expect(await balanceOf(service)).toMatchObject({ reserved: 100, spent: 0 });
    await holdfast.freezeClock(start + 3_600_001);
    await holdfast.admin("POST", "/v1/admin/reconcile", { tasks: ["expire", "periods"] });
    const rows = await replicas.record.balances(`service:${service}`);
    expect(rows.map(({ key, spent, reserved }) => [key.slice(-24), spent, reserved])).toEqual([
      ["2027-03-01T10:00:00.000Z", 70, 0],
      ["2027-03-01T11:00:00.000Z", 0, 0],
      ["2027-03-01T12:00:00.000Z", 0, 0],
    ]);
    await replicas.record.setClock(null);
  });

  it("is audited, and a figure that does not follow from it is found", async () => {
    const { service, first, hold } = await twoTenants(100);
    await hold(first, 40);
    const audit = async () => {
      await holdfast.admin("POST", "/v1/admin/reconcile", { tasks: ["audit"] });
      const detail = (await holdfast.admin("GET", "/v1/admin/audit")).body["detail"] as { findings: object[] };
      return detail.findings;
    };
    expect(await audit()).toEqual([]);
    const off = "UPDATE balances SET reserved = reserved + $1 WHERE tenant_id = $2";
    await replicas.record.sql(off, [1, `service:${service}`]);
    const of = { tenantId: `service:${service}`, key: `service:${service}:tokens:none`, expected: 40, found: 41 };
    expect(await audit()).toEqual([
      { ...of, check: "held" },
      { ...of, check: "reserved" },
    ]);
    await replicas.record.sql(off, [-1, `service:${service}`]);
  });
});

describe("a permit", () => {
  it("is for the service that was reserved for, by default, and for no other", async () => {
    const { service, first, hold } = await twoTenants(100);
    await holdfast.admin("PUT", `/v1/admin/services/${service}`, { ...bound(100), concurrency: 1 });
    const other = await newService(holdfast, {});
    const id = await hold(first, 10);
    const starter = starterOf(first.tenant);
    const started = await starter.permit(id);
    expect((await starter.permit(id, { child: 2 })).body.code).toBe("concurrency_limited");
    expect((await starter.finish(started.body.id, "succeeded", { tokens: 4 })).status).toBe(200);
    expect(await balanceOf(service)).toMatchObject({ reserved: 6, spent: 4 });
    expect(await starter.permit(id, { child: 2, service: other })).toMatchObject({
      status: 409,
      body: { code: "conflict" },
    });
  });

  it("for a service with allowances needs a reservation that names it", async () => {
    const { service, first } = await twoTenants(100);
    const id = await first.tenant.openReservation({ jobId: first.jobId, ...planned(1, 1) });
    expect(await starterOf(first.tenant).permit(id, { service })).toMatchObject({
      status: 409,
      body: { code: "conflict" },
    });
  });
});
