import { bound, denial, serviceBalance, times, twoTenantsAt, WAYS } from "../support/at-service.js";
import { planned, starterOf } from "../support/flow.js";
import { HttpTenant, type BalanceView, type Holdfast, type Result } from "../support/http.js";
import { Replicas } from "../support/replicas.js";

/** What one tenant may take of a service that two tenants use, at two processes. */
let replicas: Replicas;
let holdfast: Holdfast;

beforeAll(async () => {
  replicas = await Replicas.start();
  holdfast = replicas.at(0);
});
afterEach(() => replicas.record.expectSound());
afterAll(() => replicas.stop());

/** The first of two tenants has a share of a service that has this much. */
async function withShare(share: number, service: number, more: object = {}) {
  const both = await twoTenantsAt(replicas, service);
  const path = `/services/${both.service}`;
  const scope = { kind: "service", id: both.service, tenantId: both.first.tenant.id };
  const answer = await both.first.tenant.admin("PUT", path, bound(share, more));
  expect(answer.status).toBe(200);
  const shareOf = async (): Promise<BalanceView> => (await both.first.tenant.balances(`service:${both.service}`))[0]!;
  return { ...both, path, scope, shareOf };
}

/** The entries that tell who changed what, oldest first. */
async function changesIn(path: string): Promise<object[]> {
  const pages = await Promise.all(
    ["settings", "limit"].map((type) => holdfast.admin("GET", `/v1/admin/${path}/ledger?type=${type}`)),
  );
  const entries = pages.flatMap(({ body }) => body["data"] as { id: string; detail: object }[]);
  return entries.sort((one, other) => Number(one.id) - Number(other.id)).map(({ detail }) => detail);
}

describe("a tenant's share of a service", () => {
  it("is shown with what was taken of it, replaced as a whole, taken away, and its figures stay", async () => {
    const { first, service, path, scope, hold, shareOf } = await withShare(500, 1_000, { period: "day" });
    const { tenant } = first;
    const id = await hold(first, 300);
    const balance = { scope, unit: "tokens", limit: 500, reserved: 300, spent: 0, available: 200, overage: 0 };
    const detail = (await tenant.admin("GET", path)).body;
    expect(detail).toMatchObject({
      ...{ name: service, ...bound(500, { period: "day", timeZone: "UTC" }) },
      ...{ balances: [balance], live: { inFlight: 0 } },
    });
    expect(await shareOf()).toEqual((detail["balances"] as object[])[0]);
    const seen = await tenant.admin("GET", `/balances?scope=service:${service}`);
    expect(seen.body["data"]).toEqual([await shareOf()]);
    const [reserved] = (await tenant.call("GET", `/v1/ledger?reservationId=${id}`)).body["data"] as {
      scopes: object[];
    }[];
    expect(reserved!.scopes).toContainEqual({ ...scope, window: (await shareOf()).window });

    await tenant.admin("PUT", path, { concurrency: 3 });
    expect((await tenant.admin("GET", path)).body).not.toHaveProperty("allowances");
    expect(await shareOf()).toBeUndefined();
    await tenant.settle(id, 250);
    await tenant.admin("PUT", path, bound(400, { period: "day" }));
    expect(await shareOf()).toMatchObject({ limit: 400, reserved: 0, spent: 250, available: 150 });
    expect((await tenant.admin("DELETE", path)).body).toMatchObject(bound(400));
    expect([(await tenant.admin("GET", path)).status, (await tenant.admin("DELETE", path)).status]).toEqual([404, 404]);
    await hold(first, 600);
    const all = await tenant.balances(`service:${service}`, "all");
    expect(all).toMatchObject([{ scope, limit: "unlimited", reserved: 0, spent: 250 }]);
  });

  it("is journalled with what else is set there: who changed it, from what, to what and why", async () => {
    const { first, service, path, scope } = await withShare(500, 1_000);
    await first.tenant.admin("PUT", path, { ...bound(400), concurrency: 2, reason: "a quieter day" });
    await first.tenant.admin("PUT", path, { ...bound(400), concurrency: 2, reason: "the same again" });
    await first.tenant.admin("DELETE", path);
    const by = { actor: "operator", reason: "a quieter day" };
    expect(await changesIn(`tenants/${first.tenant.id}`)).toEqual([
      { service, after: {}, actor: "operator" },
      { scope, to: 500, actor: "operator" },
      { service, before: {}, after: { concurrency: 2 }, ...by },
      { scope, from: 500, to: 400, ...by },
      { service, before: { concurrency: 2 }, actor: "operator" },
      { scope, from: 400, to: "unlimited", actor: "operator" },
    ]);
  });

  it("is answered as it was asked for, however many change it at once, and always read whole", async () => {
    const { first, service, path } = await withShare(1, 1_000);
    const at = (i: number) => new HttpTenant(replicas.at(i), first.tenant.id, first.tenant.key);
    const set = (n: number) => ({ ...bound(n), concurrency: n });
    const operator = `/v1/admin/services/${service}`;
    const isWhole = ({ status, body }: Result) => {
      const allowances = body["allowances"] as Record<string, { limit: number }> | undefined;
      return status === 404 || allowances?.["tokens"]?.limit === body["concurrency"];
    };
    await Promise.all([at(0).admin("PUT", path, set(2)), holdfast.admin("PUT", operator, set(2))]);
    await Promise.all(
      times(12, async (i) => {
        const n = i + 3;
        if (i % 4 === 3) await at(i >> 2).admin("DELETE", path);
        const own = await at(i).admin("PUT", path, set(n));
        expect([own.status, own.body]).toMatchObject([200, { name: service, ...set(n) }]);
        expect((await replicas.at(i).admin("PUT", operator, set(n))).body).toMatchObject(set(n));
        expect(isWhole(await at(i).admin("GET", path))).toBe(true);
        expect(isWhole(await replicas.at(i).admin("GET", operator))).toBe(true);
      }),
    );
    const last = await holdfast.admin("PUT", operator, set(99));
    expect((await holdfast.admin("GET", operator)).body).toMatchObject(last.body);
    expect(last.body).toMatchObject({ version: 15, updatedAt: expect.any(String) as string });
  });

  it("that is used up stops its tenant, and not the other; the denial names it", async () => {
    const { first, second, scope, ask, hold, shareOf } = await withShare(100, 1_000);
    await hold(first, 100);
    const denied = await first.tenant.reserve(first.jobId, ask(1));
    expect(denial(denied)).toEqual([402, "allowance_exhausted", scope]);
    expect(denied.body["detail"]).toContain(`of tenant ${scope.tenantId} at service ${scope.id} has 0 of 100 left`);
    expect((await first.tenant.reserve(first.jobId, 1)).status).toBe(201);
    expect((await second.tenant.reserve(second.jobId, ask(900))).status).toBe(201);
    expect(denial(await second.tenant.reserve(second.jobId, ask(1)))[2]).toEqual({ kind: "service", id: scope.id });
    expect(await shareOf()).toMatchObject({ reserved: 100, available: 0, overage: 0 });
  });

  it.each(WAYS)("has no way round it: %s", async (_, fields, reserve) => {
    const { first, scope, service, hold } = await withShare(100, 1_000);
    await hold(first, 60);
    const plan = (tokens: number) => ({
      plan: { children: 1, attempts: 1, attemptCost: { tokens } },
      service,
      ...fields,
    });
    const denied = await reserve(first.tenant, first.jobId, plan(41));
    expect(denial(denied)).toEqual([402, "allowance_exhausted", scope]);
    expect(denied.body).toMatchObject({ limit: 100, reserved: 60, spent: 0, available: 40, maxChildren: 0 });
    expect((await reserve(first.tenant, first.jobId, plan(40))).status).toBe("dryRun" in fields ? 200 : 201);
  });

  it("admits exactly 70 of its tenant's requests for 1 each, however many come at once, and the other tenant has the rest", async () => {
    const { first, second, service, ask, shareOf } = await withShare(70, 150);
    const callers = [first, second].map(({ tenant, jobId }) =>
      times(2, (i) => ({ tenant: new HttpTenant(replicas.at(i), tenant.id, tenant.key), jobId })),
    );
    const reserve = (i: number) => {
      const { tenant, jobId } = callers[i % 2]![Math.floor(i / 2) % 2]!;
      return tenant.reserve(jobId, ask(1));
    };
    const answers = await Promise.all(times(400, reserve));
    const taken = [0, 1].map((which) => answers.filter(({ status }, i) => status === 201 && i % 2 === which).length);
    expect(taken[0]).toBeLessThanOrEqual(70);
    expect(taken[0]! + taken[1]!).toBe(150);
    expect(await shareOf()).toMatchObject({ reserved: taken[0], available: 70 - taken[0]! });
    expect(await serviceBalance(holdfast, service)).toMatchObject({ reserved: 150, available: 0 });
    await holdfast.admin("PUT", `/v1/admin/services/${service}`, bound(1_000));
    const more = await Promise.all(times(200, (i) => reserve(i * 2)));
    expect(more.filter(({ status }) => status === 201)).toHaveLength(70 - taken[0]!);
    expect(await shareOf()).toMatchObject({ reserved: 70, available: 0 });
  });

  it("counts in windows of its own, which the reconciler opens before anybody works there", async () => {
    const start = Date.parse("2027-03-01T10:59:59.999Z");
    await holdfast.freezeClock(start);
    const { first, ask, hold, shareOf } = await withShare(100, 1_000, { period: "hour" });
    const id = await hold(first, 100);
    expect((await first.tenant.reserve(first.jobId, ask(1))).status).toBe(402);
    await holdfast.freezeClock(start + 1);
    await holdfast.admin("POST", "/v1/admin/reconcile", { tasks: ["periods"] });
    const rows = await replicas.record.balances(first.tenant.id);
    expect(rows.filter(({ key }) => key.startsWith("service:")).map(({ key, reserved }) => [key.slice(-24), reserved]))
      .toEqual([["2027-03-01T10:00:00.000Z", 100], ["2027-03-01T11:00:00.000Z", 0]]); // prettier-ignore
    expect((await first.tenant.reserve(first.jobId, ask(100))).status).toBe(201);
    await first.tenant.settle(id, 70);
    expect(await shareOf()).toMatchObject({ window: "hour@2027-03-01T11:00:00.000Z", reserved: 100, spent: 0 });
    await replicas.record.setClock(null);
  });

  it("lets permits be granted to its tenant only for reservations that name the service", async () => {
    const { first, second, service, path } = await withShare(100, 1_000);
    await holdfast.admin("PUT", `/v1/admin/services/${service}`, { concurrency: 10 });
    const open = ({ tenant, jobId }: typeof first) => tenant.openReservation({ jobId, ...planned(2, 1) });
    const [one, other] = [await open(first), await open(second)];
    const permit = await starterOf(first.tenant).permit(one, { service });
    expect([permit.status, permit.body.code]).toEqual([409, "conflict"]);
    expect((await starterOf(second.tenant).permit(other, { service })).status).toBe(201);
    const plan = { children: 1, attempts: 1, attemptCost: { tokens: 1 } };
    const named = await first.tenant.reserve(first.jobId, { plan, service });
    expect((await starterOf(first.tenant).permit(named.body.id)).status).toBe(201);
    expect((await first.tenant.admin("DELETE", path)).status).toBe(200);
  });

  it.each<[string, string, object, number, string]>([
    ["of a service that there is not", "nobody", bound(1), 404, "not_found"],
    ["in a unit that the tenant has no allowance in", "", { allowances: { pages: { limit: 1 } } }, 422, "unit_unknown"],
    ["with a limit that is none", "", bound(-1), 400, "validation_failed"],
  ])("is refused %s", async (_, name, body, status, code) => {
    const { first, service } = await twoTenantsAt(replicas, 10);
    const answer = await first.tenant.admin("PUT", `/services/${name || service}`, body);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(await first.tenant.balances(`service:${service}`)).toEqual([]);
  });
});

it("a service's first limits and its other settings are journalled, with who and why", async () => {
  const name = `svc-${Date.now().toString(36)}`;
  const path = `/v1/admin/services/${name}`;
  const scope = { kind: "service", id: name };
  const breaker = { failures: 5, windowMs: 1_000, resetMs: 1_000, probes: 1 };
  const made = await holdfast.admin("PUT", path, { ...bound(100), concurrency: 3, reason: "a new model" });
  expect(made.body).toMatchObject({ ...bound(100), concurrency: 3, version: 1 });
  expect(made.body).not.toHaveProperty("reason");
  await holdfast.admin("PUT", path, { ...bound(100), concurrency: 3 });
  await holdfast.admin("PUT", path, { ...bound(100), breaker, reason: "it breaks" });
  expect(await changesIn(`services/${name}`)).toEqual([
    { service: name, after: { concurrency: 3 }, actor: "operator", reason: "a new model" },
    { scope, to: 100, actor: "operator", reason: "a new model" },
    { service: name, before: { concurrency: 3 }, after: { breaker }, actor: "operator", reason: "it breaks" },
  ]);
});
