import { readFileSync } from "node:fs";
import { Receiver } from "../support/receiver.js";
import { newService } from "../support/flow.js";
import { startHoldfast, type Body, type Holdfast, type HttpTenant } from "../support/http.js";
import { eventually } from "../support/record.js";

const LOOK_MS = 200;
const DENIAL_MS = 1_500;
const TIMEOUT_MS = 700;

let holdfast: Holdfast;
let receiver: Receiver;

beforeAll(async () => {
  holdfast = await startHoldfast({
    HOLDFAST_WEBHOOK_INTERVAL_MS: String(LOOK_MS),
    HOLDFAST_WEBHOOK_DENIAL_INTERVAL_MS: String(DENIAL_MS),
    HOLDFAST_WEBHOOK_RETRY_MS: "100",
    HOLDFAST_WEBHOOK_TIMEOUT_MS: String(TIMEOUT_MS),
  });
});
afterAll(() => holdfast.stop());
beforeEach(async () => {
  receiver = await Receiver.start();
});
afterEach(() => receiver.stop());

const hook = async (tenant: HttpTenant, events: string[], more: object = {}): Promise<Body> => {
  const { status, body } = await tenant.admin("PUT", "/webhooks/a", { url: receiver.url, events, ...more });
  expect(status).toBe(200);
  return body;
};

interface Delivery {
  readonly id: string;
  readonly eventId: string;
  readonly state: string;
  readonly attempts: number;
  readonly lastStatus?: number;
  readonly lastError?: string;
}

const deliveries = async (tenant: HttpTenant, query = ""): Promise<Delivery[]> =>
  (await tenant.admin("GET", `/webhooks/a/deliveries${query}`)).body["data"] as Delivery[];

/** A ping, until it has come so far. */
async function pinged(tenant: HttpTenant, until: (delivery: Delivery) => boolean): Promise<Delivery> {
  const { status, body } = await tenant.admin("POST", "/webhooks/a/ping");
  expect(status).toBe(201);
  await eventually(async () => until((await deliveries(tenant)).find(({ id }) => id === body.id)!));
  return (await deliveries(tenant)).find(({ id }) => id === body.id)!;
}

const isDelivered = ({ state }: Delivery): boolean => state === "delivered";

async function spend(tenant: HttpTenant, tokens: number): Promise<void> {
  const id = await tenant.openReservation({ tokens });
  await tenant.settle(id, tokens);
}

/** A few looks that find nothing more to tell. */
async function looks(): Promise<void> {
  const seen = async () => {
    const { rows } = await holdfast.record.query<{ n: number }>(
      "SELECT count(*)::int AS n FROM reconcile_runs WHERE task = 'notify'",
    );
    return rows[0]!.n;
  };
  const before = await seen();
  await eventually(async () => (await seen()) >= before + 3);
}

type Verify = (header: string, body: string, secret: string, nowMs?: number) => boolean;

/** The snippet of the docs, as a receiver would take it. */
async function snippet(): Promise<Verify> {
  const page = readFileSync(new URL("../../docs/webhooks.md", import.meta.url), "utf8");
  const code = /```js\n([^]*?)```/.exec(page)![1]!;
  const module = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as { isFromHoldfast: Verify };
  return module.isFromHoldfast;
}

describe("a signature", () => {
  it("is verified by the code of the docs, under the secret that was shown once and no other", async () => {
    const isFromHoldfast = await snippet();
    const tenant = await holdfast.tenant();
    const { secret, ...shown } = await hook(tenant, ["audit.drift"]);
    const again = await tenant.admin("PUT", "/webhooks/a", { url: receiver.url, events: ["audit.drift"] });
    const reads = [again, await tenant.admin("GET", "/webhooks/a"), await tenant.call("GET", "/v1/webhooks")];
    expect(JSON.stringify(reads.map(({ body }) => body))).not.toMatch(/secret/);
    expect(reads[1]!.body).toMatchObject({
      name: shown["name"],
      url: receiver.url,
      events: ["audit.drift"],
      enabled: true,
    });
    await pinged(tenant, isDelivered);
    const { headers, text, event } = receiver.received[0]!;
    const header = headers["holdfast-signature"] as string;
    expect(header).toMatch(/^t=\d{10},v1=[0-9a-f]{64}$/);
    expect(isFromHoldfast(header, text, secret as string)).toBe(true);
    expect(isFromHoldfast(header, `${text} `, secret as string)).toBe(false);
    expect(isFromHoldfast(header, text, `${secret as string}x`)).toBe(false);
    expect(isFromHoldfast(header, text, secret as string, Date.now() + 301_000)).toBe(false);
    expect(isFromHoldfast(header.replace(/t=\d/, "t=2"), text, secret as string)).toBe(false);
    expect(event).toMatchObject({ type: "webhook.ping", tenantId: tenant.id, data: {} });
    expect([headers["holdfast-event-id"], headers["content-type"]]).toEqual([event.id, "application/json"]);
  });

  it("is there twice while the secret is rotated, and only the new one's afterwards", async () => {
    const isFromHoldfast = await snippet();
    const tenant = await holdfast.tenant();
    const { secret: first } = await hook(tenant, ["audit.drift"]);
    const rotated = (await tenant.admin("POST", "/webhooks/a/rotate")).body;
    await pinged(tenant, isDelivered);
    const { secret: last } = (await tenant.admin("POST", "/webhooks/a/rotate", { overlapMs: 0 })).body;
    await pinged(tenant, isDelivered);
    const valid = receiver.received.map(({ headers, text }) =>
      [first, rotated["secret"], last].map((secret) =>
        isFromHoldfast(headers["holdfast-signature"] as string, text, secret as string),
      ),
    );
    expect(valid).toEqual([
      [true, true, false],
      [false, false, true],
    ]);
    expect(Date.parse(rotated["oldSecretUntil"] as string) - Date.now()).toBeGreaterThan(86_000_000);
  });
});

describe("thresholds", () => {
  const told = () => receiver.events("allowance.threshold").map(({ data }) => [data["scope"].kind, data["threshold"]]);

  it("are told once each, of tenant and user, and again where a higher limit let the spending fall below", async () => {
    const tenant = await holdfast.tenant({ allowances: { tokens: { limit: 100 } }, userAllowance: { tokens: 60 } });
    await hook(tenant, ["allowance.threshold"]);
    const held = await tenant.openReservation({ tokens: 20 });
    await spend(tenant, 49);
    await looks();
    expect(told()).toEqual([]);
    const id = await tenant.openReservation({ tokens: 31, user: "ada" });
    await tenant.settle(id, 31);
    await eventually(async () => told().length >= 3);
    await looks();
    expect(told().sort()).toEqual([["tenant", 50], ["tenant", 80], ["user", 50]]); // prettier-ignore
    const figures = { unit: "tokens", window: "none", limit: 100, spent: 80, reserved: 20, available: 0 };
    expect(receiver.received.map(({ event }) => event.data)).toContainEqual({
      scope: { kind: "tenant", id: tenant.id },
      ...{ threshold: 80, ...figures },
    });
    await tenant.release(held);
    await tenant.admin("PUT", "/allowances/tokens", { limit: 200 });
    await looks();
    await spend(tenant, 20);
    await eventually(async () => told().length >= 4);
    await spend(tenant, 100);
    await eventually(async () => told().length >= 6);
    await looks();
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
      await hook(tenant, ["allowance.threshold"]);
      await eventually(async () => told().length === 1);
      await holdfast.setClock(Date.now() + 6 * HOUR);
      await spend(tenant, 50);
      await eventually(async () => told().length === 2);
      await looks();
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
  await hook(tenant, ["allowance.denied"]);
  const jobId = await tenant.job();
  const operations = Array.from({ length: 500 }, () => ({ op: "reserve", jobId, amounts: { tokens: 11 } }));
  const results = [...(await tenant.batch(operations)), ...(await tenant.batch(operations))];
  expect(results.filter(({ status }) => status === 402)).toHaveLength(1_000);
  await tenant.reserve(jobId, { amounts: { tokens: 12 }, dryRun: true });
  const events = () => receiver.events("allowance.denied");
  await eventually(async () => events().length > 0);
  await looks();
  expect(events()).toHaveLength(1);
  const { data, tenantId } = events()[0]!;
  expect(tenantId).toBe(tenant.id);
  expect(data).toMatchObject({ scope: { kind: "tenant", id: tenant.id }, unit: "tokens", count: 1_000 });
  expect(data["last"]).toMatchObject({ code: "exceeds_limit", limit: 10, requested: 11, available: 10 });
  await tenant.reserve(jobId, 11);
  await eventually(async () => events().length === 2);
  expect(events()[1]!.data["count"]).toBe(1);
});

it("tells the operator's webhook and a tenant's that a breaker opened and closed, each once", async () => {
  const tenant = await holdfast.tenant();
  await hook(tenant, ["breaker.changed"]);
  await holdfast.admin("PUT", "/v1/admin/webhooks/pager", {
    url: `${receiver.url}/pager`,
    events: ["breaker.changed"],
  });
  const service = await newService(holdfast, {
    breaker: { failures: 5, windowMs: 1_000, resetMs: 60_000, probes: 1 },
  });
  const told = () => receiver.received.filter(({ event }) => event.data["service"] === service);
  const set = (state: string) => holdfast.admin("POST", `/v1/admin/services/${service}/breaker`, { state });
  await looks();
  await set("open");
  await eventually(async () => told().length === 2);
  await set("closed");
  await eventually(async () => told().length === 4);
  await looks();
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
  await hook(tenant, ["audit.drift"]);
  await spend(tenant, 10);
  const drift = (by: number) =>
    holdfast.record.query("UPDATE balances SET spent = spent + $2 WHERE tenant_id = $1 AND kind = 'tenant'", [tenant.id, by]); // prettier-ignore
  const audit = () => holdfast.admin("POST", "/v1/admin/reconcile", { tasks: ["audit"] });
  const events = () => receiver.events("audit.drift");
  await drift(1);
  await audit();
  await eventually(async () => events().length === 1);
  expect(events()[0]).toMatchObject({ tenantId: tenant.id, data: { differences: 1 } });
  expect(events()[0]!.data["findings"]).toMatchObject([{ check: "spent", expected: 10, found: 11 }]);
  await audit();
  await looks();
  expect(events()).toHaveLength(1);
  await drift(-1);
  await audit();
  await looks();
  await drift(1);
  await audit();
  await eventually(async () => events().length === 2);
  await drift(-1);
});

describe("a delivery", () => {
  it("is tried again after an error, a time-out and a broken connection, under one id", async () => {
    const tenant = await holdfast.tenant();
    await hook(tenant, ["audit.drift"]);
    receiver.answers = [500, "never", (response) => response.destroy(), 200];
    const delivery = await pinged(tenant, isDelivered);
    expect(delivery).toMatchObject({ attempts: 4, lastStatus: 200 });
    expect(delivery).not.toHaveProperty("lastError");
    expect(receiver.received.map(({ event }) => event.id)).toEqual(Array.from({ length: 4 }, () => delivery.eventId));
    expect(new Set(receiver.received.map(({ text }) => text)).size).toBe(1);
  });

  it("arrives although nobody listened at first", async () => {
    const tenant = await holdfast.tenant();
    await hook(tenant, ["audit.drift"]);
    const { port } = receiver;
    await receiver.stop();
    const refused = await pinged(tenant, ({ attempts }) => attempts > 1);
    expect(refused).toMatchObject({ state: "pending", lastError: "the connection failed: ECONNREFUSED" });
    receiver = await Receiver.start(port);
    await eventually(async () => isDelivered((await deliveries(tenant))[0]!));
    expect(receiver.received[0]!.event.id).toBe(refused.eventId);
  });

  it("follows no redirect", async () => {
    const tenant = await holdfast.tenant();
    const elsewhere = await Receiver.start();
    await hook(tenant, ["audit.drift"]);
    receiver.answers = [(response) => response.writeHead(307, { location: elsewhere.url }).end()];
    const delivery = await pinged(tenant, ({ attempts }) => attempts > 0);
    expect(delivery).toMatchObject({ lastStatus: 307, lastError: "a redirect (307) is not followed" });
    expect(elsewhere.connections).toBe(0);
    await tenant.admin("DELETE", "/webhooks/a");
    await elsewhere.stop();
  });

  it("does not wait for the receiver of another that never answers", async () => {
    const [slow, quick] = [await holdfast.tenant(), await holdfast.tenant()];
    await hook(slow, ["audit.drift"]);
    receiver.answers = ["never"];
    await Promise.all(Array.from({ length: 80 }, () => slow.admin("POST", "/webhooks/a/ping")));
    await eventually(async () => receiver.received.length > 0);
    const other = await Receiver.start();
    await quick.admin("PUT", "/webhooks/a", { url: other.url, events: ["audit.drift"] });
    const start = performance.now();
    await pinged(quick, isDelivered);
    expect(performance.now() - start).toBeLessThan(4 * TIMEOUT_MS);
    await slow.admin("DELETE", "/webhooks/a");
    await other.stop();
  });

  it("is sent again by hand, under the ids that it had, and is listed by its state", async () => {
    const tenant = await holdfast.tenant();
    await hook(tenant, ["audit.drift"]);
    const { id, eventId } = await pinged(tenant, isDelivered);
    await pinged(tenant, isDelivered);
    const { status, body } = await tenant.admin("POST", `/webhooks/a/deliveries/${id}/resend`);
    expect([status, body.state, body["attempts"]]).toEqual([200, "pending", 0]);
    await eventually(async () => receiver.received.length === 3);
    const sent = receiver.received.filter(({ headers }) => headers["holdfast-delivery-id"] === id);
    expect(sent.map(({ event }) => event.id)).toEqual([eventId, eventId]);
    await eventually(async () => (await deliveries(tenant, "?state=delivered")).length === 2);
    expect(await deliveries(tenant, "?state=failed")).toEqual([]);
  });

  it("waits while its webhook is not enabled", async () => {
    const tenant = await holdfast.tenant();
    await hook(tenant, ["audit.drift"], { enabled: false });
    await tenant.admin("POST", "/webhooks/a/ping");
    await looks();
    expect(receiver.connections).toBe(0);
    await hook(tenant, ["audit.drift"]);
    await eventually(async () => receiver.received.length === 1);
  });
});

it("409 conflict: a tenant has 16 webhooks at most", async () => {
  const tenant = await holdfast.tenant();
  const put = (name: string) =>
    tenant.admin("PUT", `/webhooks/${name}`, { url: receiver.url, events: ["audit.drift"], enabled: false });
  for (let i = 0; i < 16; i += 1) expect((await put(`w${i}`)).status).toBe(200);
  expect((await put("w16")).body.code).toBe("conflict");
  expect((await put("w3")).status).toBe(200);
});
