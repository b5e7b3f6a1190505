import { newService } from "../support/flow.js";
import type { Holdfast, HttpTenant } from "../support/http.js";
import { Receiver } from "../support/receiver.js";
import { looks, putHook, soon, startTelling } from "../support/webhooks.js";

let holdfast: Holdfast;
let receiver: Receiver;

beforeAll(async () => {
  holdfast = await startTelling({ HOLDFAST_WEBHOOK_DENIAL_INTERVAL_MS: "1500" });
});
afterAll(() => holdfast.stop());
beforeEach(async () => {
  receiver = await Receiver.start();
});
afterEach(() => receiver.stop());

async function spend(tenant: HttpTenant, tokens: number): Promise<void> {
  const id = await tenant.openReservation({ tokens });
  await tenant.settle(id, tokens);
}

describe("thresholds", () => {
  const told = () => receiver.events("allowance.threshold").map(({ data }) => [data["scope"].kind, data["threshold"]]);

  it("are told once each, of tenant and user, and again where a higher limit let the spending fall below", async () => {
    const tenant = await holdfast.tenant({ allowances: { tokens: { limit: 100 } }, userAllowance: { tokens: 60 } });
    await putHook(tenant, receiver, ["allowance.threshold"]);
    const held = await tenant.openReservation({ tokens: 20 });
    await spend(tenant, 49);
    await looks(holdfast);
    expect(told()).toEqual([]);
    const id = await tenant.openReservation({ tokens: 31, user: "ada" });
    await tenant.settle(id, 31);
    await soon(async () => told().length >= 3);
    await looks(holdfast);
    expect(told().sort()).toEqual([["tenant", 50], ["tenant", 80], ["user", 50]]); // prettier-ignore
    const figures = { unit: "tokens", window: "none", limit: 100, spent: 80, reserved: 20, available: 0 };
    expect(receiver.received.map(({ event }) => event.data)).toContainEqual({
      scope: { kind: "tenant", id: tenant.id },
      ...{ threshold: 80, ...figures },
    });
    await tenant.release(held);
    await tenant.admin("PUT", "/allowances/tokens", { limit: 200 });
    await looks(holdfast);
    await spend(tenant, 20);
    await soon(async () => told().length >= 4);
    await spend(tenant, 100);
    await soon(async () => told().length >= 6);
    await looks(holdfast);
    expect(told().slice(3)).toEqual(expect.arrayContaining([["tenant", 50], ["tenant", 80], ["tenant", 100]])); // prettier-ignore
    expect(told()).toHaveLength(6);
    expect(new Set(receiver.received.map(({ event }) => event.id)).size).toBe(6);
  });

  it("are told anew in a new window, and nothing of windows that are over", async () => {
    const tenant = await holdfast.tenant({ allowances: { tokens: { limit: 100, period: "hour" } } });
    const HOUR = 3_600_000;
    try {
      await holdfast.setClock(Date.now() + 2 * HOUR);
      await spend(tenant, 100);
      await holdfast.setClock(Date.now() + 5 * HOUR);
      await spend(tenant, 55);
      await putHook(tenant, receiver, ["allowance.threshold"]);
      await soon(async () => told().length === 1);
      await holdfast.setClock(Date.now() + 6 * HOUR);
      await spend(tenant, 50);
      await soon(async () => told().length === 2);
      await looks(holdfast);
      expect(told()).toEqual([["tenant", 50], ["tenant", 50]]); // prettier-ignore
      const windows = receiver.events("allowance.threshold").map(({ data }) => data["window"] as string);
      expect(new Set(windows).size).toBe(2);
    } finally {
      await holdfast.setClock(Date.now());
    }
  });
});

it("tells a storm of 1 000 denials as one event with their count, and the next ones by another", async () => {
  const tenant = await holdfast.tenant({ allowances: { tokens: { limit: 10 } } });
  await putHook(tenant, receiver, ["allowance.denied"]);
  const jobId = await tenant.job();
  const operations = Array.from({ length: 500 }, () => ({ op: "reserve", jobId, amounts: { tokens: 11 } }));
  const results = [...(await tenant.batch(operations)), ...(await tenant.batch(operations))];
  expect(results.filter(({ status }) => status === 402)).toHaveLength(1_000);
  await tenant.reserve(jobId, { amounts: { tokens: 12 }, dryRun: true });
  const events = () => receiver.events("allowance.denied");
  await soon(async () => events().length > 0);
  await looks(holdfast);
  expect(events()).toHaveLength(1);
  const { data, tenantId } = events()[0]!;
  expect(tenantId).toBe(tenant.id);
  expect(data).toMatchObject({ scope: { kind: "tenant", id: tenant.id }, unit: "tokens", count: 1_000 });
  expect(data["last"]).toMatchObject({ code: "exceeds_limit", limit: 10, requested: 11, available: 10 });
  await tenant.reserve(jobId, 11);
  await soon(async () => events().length === 2);
  expect(events()[1]!.data["count"]).toBe(1);
});

it("tells the share that a tenant has of a service, spent or denied, from the service as a whole", async () => {
  const tenant = await holdfast.tenant({ allowances: { tokens: { limit: 10_000 } } });
  const service = await newService(holdfast, { allowances: { tokens: { limit: 500 } } });
  await tenant.admin("PUT", `/services/${service}`, { allowances: { tokens: { limit: 100 } } });
  await putHook(tenant, receiver, ["allowance.threshold", "allowance.denied"]);
  const whole = { kind: "service", id: service };
  const share = { ...whole, tenantId: tenant.id };
  const ask = (tokens: number) => ({ amounts: { tokens }, service });
  await tenant.settle(await tenant.openReservation({ body: ask(60) }), 60);
  const told = () => receiver.events("allowance.threshold").map(({ data }) => [data["scope"], data["threshold"]]);
  await soon(async () => told().length > 0);
  expect(told()).toEqual([[share, 50]]);
  const jobId = await tenant.job();
  expect((await tenant.reserve(jobId, ask(41))).body.scope).toEqual(share);
  await tenant.admin("PUT", `/services/${service}`, { allowances: { tokens: { limit: 1_000 } } });
  expect((await tenant.reserve(jobId, ask(501))).body.scope).toEqual(whole);
  const denied = () => receiver.events("allowance.denied").map(({ data }) => data["scope"] as unknown);
  await soon(async () => denied().length === 2);
  expect(denied()).toEqual(expect.arrayContaining([share, whole]));
});

it("tells the operator's webhook and a tenant's that a breaker opened and closed, each once", async () => {
  const tenant = await holdfast.tenant();
  await putHook(tenant, receiver, ["breaker.changed"]);
  await holdfast.admin("PUT", "/v1/admin/webhooks/pager", {
    url: `${receiver.url}/pager`,
    events: ["breaker.changed"],
  });
  const service = await newService(holdfast, {
    breaker: { failures: 5, windowMs: 1_000, resetMs: 60_000, probes: 1 },
  });
  const told = () => receiver.received.filter(({ event }) => event.data["service"] === service);
  const set = (state: string) => holdfast.admin("POST", `/v1/admin/services/${service}/breaker`, { state });
  await looks(holdfast);
  await set("open");
  await soon(async () => told().length === 2);
  await set("closed");
  await soon(async () => told().length === 4);
  await looks(holdfast);
  expect(
    told()
      .map(({ path, event }) => [path, event.data["to"]])
      .sort(),
  ).toEqual([
    ["/hook", "closed"],
    ["/hook", "open"],
    ["/hook/pager", "closed"],
    ["/hook/pager", "open"],
  ]);
  expect(new Set(told().map(({ event }) => event.id)).size).toBe(2);
  await holdfast.admin("DELETE", "/v1/admin/webhooks/pager");
});

it("tells once what an audit found, and again what comes after it was put right", async () => {
  const tenant = await holdfast.tenant();
  await putHook(tenant, receiver, ["audit.drift"]);
  await spend(tenant, 10);
  const drift = (by: number) =>
    holdfast.record.query("UPDATE balances SET spent = spent + $2 WHERE tenant_id = $1 AND kind = 'tenant'", [tenant.id, by]); // prettier-ignore
  const audit = () => holdfast.admin("POST", "/v1/admin/reconcile", { tasks: ["audit"] });
  const events = () => receiver.events("audit.drift");
  await drift(1);
  await audit();
  await soon(async () => events().length === 1);
  expect(events()[0]).toMatchObject({ tenantId: tenant.id, data: { differences: 1 } });
  expect(events()[0]!.data["findings"]).toMatchObject([{ check: "spent", expected: 10, found: 11 }]);
  await audit();
  await looks(holdfast);
  expect(events()).toHaveLength(1);
  await drift(-1);
  await audit();
  await looks(holdfast);
  await drift(1);
  await audit();
  await soon(async () => events().length === 2);
  await drift(-1);
});
