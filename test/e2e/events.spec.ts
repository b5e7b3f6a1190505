import { performance } from "node:perf_hooks";
import { Holdfast as Client, Unauthenticated, type TenantEvent } from "#libs/client";
import { EventClient, isEvent, tells } from "../support/event-stream.js";
import { Holdfast, type HttpTenant } from "../support/http.js";
import { startProcess, type HoldfastProcess } from "../support/program.js";
import { startProxy, type Proxy } from "../support/proxy.js";
import { eventually } from "../support/record.js";
import { freshDatabase, redisUrl, type FreshDatabase } from "../support/services.js";

const MOST = 5;
/** The promise, and some for a busy machine. */
const SOON_MS = 3_000;

let database: FreshDatabase;
let toRecord: Proxy;
let toRedis: Proxy;
let toApi: Proxy;
let process: HoldfastProcess;
let holdfast: Holdfast;
const clients: EventClient[] = [];

beforeAll(async () => {
  database = await freshDatabase();
  [toRecord, toRedis] = [await startProxy(database.url), await startProxy(redisUrl())];
  process = await startProcess({
    HOLDFAST_DATABASE_URL: toRecord.url,
    HOLDFAST_REDIS_URL: toRedis.url,
    HOLDFAST_EVENT_STREAMS: String(MOST),
    HOLDFAST_COMMIT_TIMEOUT_MS: "3000",
  });
  toApi = await startProxy(process.url);
  holdfast = new Holdfast(process, { url: database.url, drop: () => Promise.resolve() });
}, 30_000);
afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));
afterAll(async () => {
  await holdfast?.stop();
  await toApi?.stop();
  await toRecord?.stop();
  await toRedis?.stop();
  await database?.drop();
});

async function listen(key: string, path: string, lastId?: string, url = process.url): Promise<EventClient> {
  const client = await EventClient.connect(url, key, path, lastId);
  clients.push(client);
  return client;
}

/** Streams of the operator and of a tenant, each of which has said where it begins. */
async function listening(tenant: HttpTenant): Promise<{ operator: EventClient; own: EventClient }> {
  const operator = await listen(holdfast.adminKey, "/v1/admin/events");
  const own = await listen(tenant.key, "/v1/events");
  for (const client of [operator, own]) await client.first(isEvent("everything"));
  return { operator, own };
}

it("tells the tenant and the operator of a change within three seconds, and no other tenant of anything", async () => {
  const [tenant, other] = [await holdfast.tenant(), await holdfast.tenant()];
  const { operator, own } = await listening(tenant);
  const neighbour = await listen(other.key, "/v1/events");
  await neighbour.first(isEvent("everything"));
  expect(own.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  expect(own.headers.get("cache-control")).toBe("no-store, no-transform");
  expect(own.headers.get("x-accel-buffering")).toBe("no");
  expect(own.headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'");

  await tenant.openReservation();
  for (const client of [operator, own]) {
    for (const topic of ["jobs", "ledger"]) expect((await client.first(tells(topic))).ms).toBeLessThan(SOON_MS);
  }
  const jobId = await tenant.job();
  for (let times = 1; times <= 2; times += 1) {
    const before = [operator, own].map(({ events }) => events.length);
    expect(await tenant.reserve(jobId, 1_000_000)).toMatchObject({ status: 402 });
    // Counted for a second at first; the second time it is counted in a row that there is.
    for (const [i, client] of [operator, own].entries())
      expect((await client.first(tells("denials"), before[i])).ms).toBeLessThan(SOON_MS + 1_000);
  }
  const from = own.events.length;
  await tenant.setLimit(2_000);
  expect((await own.first(tells("tenants"), from)).ms).toBeLessThan(SOON_MS);
  expect(neighbour.events.map(({ event }) => event)).toEqual(["everything"]);
  expect(JSON.stringify([operator.events, own.events])).not.toMatch(/ten_|job_|rsv_/);
}, 30_000);

it("tells of a job that ends without moving a figure", async () => {
  const tenant = await holdfast.tenant();
  const job = await tenant.job();
  const { own } = await listening(tenant);
  await tenant.call("POST", `/v1/jobs/${job}/close`);
  expect((await own.first(tells("jobs"))).ms).toBeLessThan(SOON_MS);
});

it("says how services stand: all at the beginning, and then those that stand otherwise", async () => {
  await holdfast.admin("PUT", "/v1/admin/services/one", {
    concurrency: 3,
    breaker: { failures: 3, windowMs: 1_000, resetMs: 60_000, probes: 1 },
  });
  await holdfast.admin("PUT", "/v1/admin/services/two", { concurrency: 4 });
  const { operator } = await listening(await holdfast.tenant());
  const { event } = await operator.first(isEvent("services"));
  expect(event.data["services"]).toMatchObject([
    { name: "one", live: { places: 3, inFlight: 0, breaker: "closed", shared: true } },
    { name: "two", live: { places: 4 } },
  ]);
  const from = operator.events.length;
  await holdfast.admin("POST", "/v1/admin/services/one/breaker", { state: "open" });
  const told = await operator.first(isEvent("services"), from);
  expect(told.ms).toBeLessThan(SOON_MS);
  expect(told.event.data["services"]).toMatchObject([{ name: "one", live: { breaker: "open" } }]);
});

it("tells a client whose connection broke what has changed meanwhile, and one that is not known that all may have", async () => {
  const tenant = await holdfast.tenant();
  const own = await listen(tenant.key, "/v1/events", undefined, toApi.url);
  await own.first(isEvent("everything"));
  toApi.set("cut");
  await own.ended;
  await tenant.job();
  toApi.set("open");
  const again = await listen(tenant.key, "/v1/events", own.lastId, toApi.url);
  await again.first(tells("jobs"));
  expect(again.topics()).not.toContain("ledger");
  expect(again.events.filter(isEvent("everything"))).toEqual([]);
  for (const id of ["0123456789ab-1", "nonsense"]) {
    const stranger = await listen(tenant.key, "/v1/events", id);
    await stranger.first(isEvent("everything"));
  }
}, 20_000);

it("tells a program by its client, over a broken connection, until its key is revoked", async () => {
  const tenant = await holdfast.tenant();
  const events = new Client({ baseUrl: toApi.url, apiKey: tenant.key }).events();
  const next = async (): Promise<TenantEvent> => (await events.next()).value;
  expect(await next()).toEqual({ type: "everything" });
  const first = next();
  await tenant.job();
  expect(await first).toEqual({ type: "changed", topics: ["jobs"] });
  const second = next();
  toApi.set("cut");
  await tenant.setLimit(2_000);
  toApi.set("open");
  expect(await second).toEqual({ type: "changed", topics: ["tenants", "ledger"] });
  const [key] = (await tenant.admin("GET", "/keys")).body["data"] as { id: string }[];
  await tenant.admin("DELETE", `/keys/${key!.id}`);
  await expect(rest(events)).rejects.toThrow(Unauthenticated);
}, 20_000);

async function rest(events: AsyncIterable<TenantEvent>): Promise<void> {
  for await (const { type } of events) expect(type).toBe("changed");
}

it("ends a stream within three seconds after its key is revoked or its tenant deleted, and no other", async () => {
  const [tenant, deleted] = [await holdfast.tenant(), await holdfast.tenant()];
  const { operator, own } = await listening(tenant);
  const gone = await listen(deleted.key, "/v1/events");
  const [key] = (await tenant.admin("GET", "/keys")).body["data"] as { id: string }[];
  await tenant.admin("DELETE", `/keys/${key!.id}`);
  await deleted.admin("DELETE");
  const begun = performance.now();
  await Promise.all([own.ended, gone.ended]);
  expect(performance.now() - begun).toBeLessThan(SOON_MS);
  expect(own.events.at(-1)).toMatchObject({ event: "end", data: { code: "unauthenticated" } });
  expect(gone.events.at(-1)).toMatchObject({ event: "end", data: { code: "not_found" } });
  expect(operator.isOver).toBe(false);
  expect((await EventClient.connect(process.url, tenant.key, "/v1/events")).status).toBe(401);
});

it("503 queue_full: has no more streams than it may, and one more as soon as one has ended", async () => {
  const opened = await Promise.all(Array.from({ length: MOST }, () => listen(holdfast.adminKey, "/v1/admin/events")));
  const refused = await EventClient.connect(process.url, holdfast.adminKey, "/v1/admin/events");
  expect([refused.status, refused.refusal?.["code"], refused.headers.get("retry-after")]).toEqual([
    503,
    "queue_full",
    "1",
  ]);
  const shown = await holdfast.call(holdfast.adminKey, "GET", "/metrics");
  expect(shown.body["text"]).toContain(`holdfast_event_streams ${MOST}\n`);
  await opened[0]!.close();
  await eventually(async () => (await listen(holdfast.adminKey, "/v1/admin/events")).status === 200);
  const figures = (await holdfast.call(holdfast.adminKey, "GET", "/metrics")).body["text"] as string;
  expect(figures).toMatch(/holdfast_event_streams_ended_total\{why="client"\} [1-9]/);
  expect(figures).not.toMatch(/request_duration_seconds_count\{[^}]*events",status="200"/);
});

it("stays open while the record is away, says so, and tells afterwards what has changed", async () => {
  const tenant = await holdfast.tenant();
  const { operator, own } = await listening(tenant);
  toRecord.set("cut");
  try {
    for (const client of [operator, own])
      expect((await client.first(isEvent("unavailable"))).event.data["what"]).toContain("record");
    // By another way than that of the process which is cut off.
    await holdfast.record.query("UPDATE tenants SET config_version = config_version + 1 WHERE id = $1", [tenant.id]);
  } finally {
    toRecord.set("open");
  }
  for (const client of [operator, own]) {
    await client.first(isEvent("available"));
    await client.first(tells("tenants"));
    expect(client.isOver).toBe(false);
  }
}, 30_000);

it("says to the operator alone that Redis is away, and goes on telling what changes", async () => {
  const tenant = await holdfast.tenant();
  const { operator, own } = await listening(tenant);
  toRedis.set("cut");
  try {
    expect((await operator.first(isEvent("unavailable"))).event.data).toEqual({ what: ["redis"] });
    await tenant.job();
    for (const client of [operator, own]) await client.first(tells("jobs"));
    const late = await listen(tenant.key, "/v1/events");
    await late.first(isEvent("everything"));
    expect(late.events).toHaveLength(1);
  } finally {
    toRedis.set("open");
  }
  await operator.first(isEvent("available"));
  expect(own.events.filter(isEvent("unavailable", "available"))).toEqual([]);
}, 20_000);

it("says that the process stops, and does not keep it from stopping", async () => {
  const { operator, own } = await listening(await holdfast.tenant());
  const begun = performance.now();
  const ended = process.end("SIGTERM");
  await Promise.all([operator.ended, own.ended]);
  // Long before it would cut off whoever is still connected.
  expect(performance.now() - begun).toBeLessThan(2_500);
  for (const client of [operator, own])
    expect(client.events.at(-1)).toMatchObject({ event: "end", data: { code: "shutting_down" } });
  expect((await ended).code).toBe(0);
});
