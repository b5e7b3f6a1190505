import { readFileSync } from "node:fs";
import type { Holdfast } from "../support/http.js";
import { Receiver } from "../support/receiver.js";
import { isDelivered, looks, putHook, soon, startTelling, TIMEOUT_MS, ToldTenant } from "../support/webhooks.js";

let holdfast: Holdfast;
let receiver: Receiver;

beforeAll(async () => {
  holdfast = await startTelling();
});
afterAll(() => holdfast.stop());
beforeEach(async () => {
  receiver = await Receiver.start();
});
afterEach(() => receiver.stop());

const tell = () => ToldTenant.start(holdfast, ["audit.drift"], { receiver });

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
    const told = await tell();
    const { tenant, secret } = told;
    const again = await putHook(tenant, receiver, ["audit.drift"]);
    const read = (await tenant.admin("GET", "/webhooks/a")).body;
    expect(read).toMatchObject({ name: "a", url: receiver.url, events: ["audit.drift"], enabled: true });
    const own = (await tenant.call("GET", "/v1/webhooks")).body;
    expect(JSON.stringify([again, read, own])).not.toMatch(/secret/);
    await told.pinged(isDelivered);
    const { headers, text, event } = receiver.received[0]!;
    expect(event).toMatchObject({ type: "webhook.ping", tenantId: tenant.id, data: {} });
    expect([headers["holdfast-event-id"], headers["content-type"]]).toEqual([event.id, "application/json"]);
    const header = headers["holdfast-signature"] as string;
    expect(header).toMatch(/^t=\d{10},v1=[0-9a-f]{64}$/);
    expect(isFromHoldfast(header, text, secret)).toBe(true);
    const later = header.replace(/\d{10}/, (t) => String(Number(t) + 1));
    expect(isFromHoldfast(later, text, secret)).toBe(false);
    expect(isFromHoldfast(header, `${text} `, secret)).toBe(false);
    expect(isFromHoldfast(header, text, `${secret}x`)).toBe(false);
    expect(isFromHoldfast(header, text, secret, Date.now() + 301_000)).toBe(false);
  });

  it("is there twice while the secret is rotated, and only the new one's afterwards", async () => {
    const isFromHoldfast = await snippet();
    const told = await tell();
    const rotate = async (body: object) => (await told.tenant.admin("POST", "/webhooks/a/rotate", body)).body;
    const rotated = await rotate({});
    await told.pinged(isDelivered);
    const last = await rotate({ overlapMs: 0 });
    await told.pinged(isDelivered);
    const secrets = [told.secret, rotated["secret"] as string, last["secret"] as string];
    const valid = receiver.received.map(({ headers, text }) =>
      secrets.map((secret) => isFromHoldfast(headers["holdfast-signature"] as string, text, secret)),
    );
    expect(valid[0]).toEqual([true, true, false]);
    expect(valid[1]).toEqual([false, false, true]);
    expect(Date.parse(rotated["oldSecretUntil"] as string) - Date.now()).toBeGreaterThan(86_000_000);
  });
});

describe("a delivery", () => {
  it("is tried again after an error, a time-out and a broken connection, under one id", async () => {
    const told = await tell();
    receiver.answers = [500, "never", (response) => response.destroy(), 200];
    const delivery = await told.pinged(isDelivered);
    expect(delivery).toMatchObject({ attempts: 4, lastStatus: 200 });
    expect(delivery).not.toHaveProperty("lastError");
    expect(receiver.received.map(({ event }) => event.id)).toEqual(Array.from({ length: 4 }, () => delivery.eventId));
    expect(new Set(receiver.received.map(({ text }) => text)).size).toBe(1);
  });

  it("arrives although nobody listened at first", async () => {
    const told = await tell();
    const { port } = receiver;
    await receiver.stop();
    const refused = await told.pinged(({ attempts }) => attempts > 1);
    expect(refused).toMatchObject({ state: "pending", lastError: "the connection failed: ECONNREFUSED" });
    receiver = await Receiver.start(port);
    await soon(async () => isDelivered((await told.deliveries())[0]!));
    expect(receiver.received[0]!.event.id).toBe(refused.eventId);
  });

  it("follows no redirect", async () => {
    const told = await tell();
    const elsewhere = await Receiver.start();
    receiver.answers = [(response) => response.writeHead(307, { location: elsewhere.url }).end()];
    const delivery = await told.pinged(({ attempts }) => attempts > 0);
    expect(delivery).toMatchObject({ lastStatus: 307, lastError: "a redirect (307) is not followed" });
    expect(elsewhere.connections).toBe(0);
    await told.tenant.admin("DELETE", "/webhooks/a");
    await elsewhere.stop();
  });

  it("does not wait for the receiver of another that never answers", async () => {
    const slow = await tell();
    receiver.answers = ["never"];
    await Promise.all(Array.from({ length: 80 }, () => slow.tenant.admin("POST", "/webhooks/a/ping")));
    await soon(async () => receiver.received.length > 0);
    const other = await Receiver.start();
    const quick = await ToldTenant.start(holdfast, ["audit.drift"], { receiver: other });
    const start = performance.now();
    await quick.pinged(isDelivered);
    expect(performance.now() - start).toBeLessThan(4 * TIMEOUT_MS);
    await slow.tenant.admin("DELETE", "/webhooks/a");
    await other.stop();
  });

  it("is sent again by hand, under the ids that it had, and is listed by its state", async () => {
    const told = await tell();
    const { id, eventId } = await told.pinged(isDelivered);
    await told.pinged(isDelivered);
    const { status, body } = await told.tenant.admin("POST", `/webhooks/a/deliveries/${id}/resend`);
    expect([status, body.state, body["attempts"]]).toEqual([200, "pending", 0]);
    await soon(async () => receiver.received.length === 3);
    const sent = receiver.received.filter(({ headers }) => headers["holdfast-delivery-id"] === id);
    expect(sent.map(({ event }) => event.id)).toEqual([eventId, eventId]);
    await soon(async () => (await told.deliveries("?state=delivered")).length === 2);
    expect(await told.deliveries("?state=failed")).toEqual([]);
  });

  it("is given up after 16 attempts, and has as many again when it is sent again by hand", async () => {
    const told = await tell();
    receiver.answers = [500];
    const { id } = await told.pinged(({ attempts }) => attempts > 0);
    await holdfast.record.query("UPDATE webhook_deliveries SET attempts = 15 WHERE id = $1", [id]);
    await soon(async () => (await told.deliveries("?state=failed")).length === 1);
    const [failed] = await told.deliveries();
    expect(failed).toMatchObject({ id, attempts: 16, lastStatus: 500, lastError: "answered 500" });
    receiver.answers = [200];
    await told.tenant.admin("POST", `/webhooks/a/deliveries/${id}/resend`);
    await soon(async () => isDelivered((await told.deliveries())[0]!));
    expect((await told.deliveries())[0]).toMatchObject({ id, attempts: 1, lastStatus: 200 });
  });

  it("waits while its webhook is not enabled", async () => {
    const told = await tell();
    await putHook(told.tenant, receiver, ["audit.drift"], { enabled: false });
    await told.tenant.admin("POST", "/webhooks/a/ping");
    await looks(holdfast);
    expect(receiver.connections).toBe(0);
    await putHook(told.tenant, receiver, ["audit.drift"]);
    await soon(async () => receiver.received.length === 1);
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
