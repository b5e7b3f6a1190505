import type { Redis } from "ioredis";
import { RedisFlowStore, type Flow } from "#libs/flow";
import { NO_METER } from "../../libs/flow/meter.js";
import { eventually } from "../support/record.js";
import { startPrivateRedis, type PrivateRedis } from "../support/services.js";
import { connectTo, newService, openFlows, permitOf, requestFor } from "./flow-fixtures.js";

const full = {
  rate: { ratePerSecond: 1_000, burst: 1_000 },
  concurrency: 5,
  breaker: { failures: 5, windowMs: 10_000, resetMs: 1_000, probes: 1 },
  adaptive: { min: 1, max: 5 },
  queue: { max: 100, maxWaitMs: 10_000 },
};

let server: PrivateRedis;
let redis: Redis;
let flows: Flow[];
/** How often a process of these decided alone, and how many ends of permits were not heard of. */
let alone = 0;
let unheard = 0;

beforeEach(async () => {
  [alone, unheard] = [0, 0];
  server = await startPrivateRedis();
  redis = connectTo(server.url)();
  redis.on("error", () => undefined);
  const meter = { ...NO_METER, decidedAlone: () => (alone += 1), unheard: () => (unheard += 1) };
  flows = await openFlows(server.url, 2, { meter });
  await eventually(async () => redis.status === "ready");
});

afterEach(async () => {
  await Promise.all(flows.map((flow) => flow.close()));
  redis.disconnect();
  await server.stop();
});

describe("flow control over Redis", () => {
  it("leaves no key without an end, whatever was done", async () => {
    const service = newService(full, full);
    const outcomes = ["succeeded", "failed", "overloaded", "rejected", "cancelled"] as const;
    const calls = Array.from({ length: 300 }, async (_, i) => {
      const flow = flows[i % 2]!;
      const request = requestFor(service, { tenantId: `t${i % 3}`, child: `${i % 100}` });
      const acquired = await flow.acquire(request, { waitMs: i % 2 ? 300 : 0 });
      // Some holders die.
      if (acquired.status === "granted" && i % 7) await flow.finish(acquired.permit, outcomes[i % 5]!, service);
    });
    await Promise.all(calls);
    const keys = await redis.keys("*");
    expect(keys.length).toBeGreaterThan(10);
    const ends = await Promise.all(keys.map(async (key) => [key, await redis.pttl(key)] as const));
    expect(ends.filter(([, ttl]) => ttl < 0)).toEqual([]);
  });

  it("keeps a bucket no longer than it takes to be full, and heals one that was left without an end", async () => {
    const service = newService({ rate: { ratePerSecond: 2, burst: 4 } });
    const key = `holdfast:{${service.name}}:service:bucket`;
    permitOf(await flows[0]!.acquire(requestFor(service, { cost: 4 })));
    expect(await redis.pttl(key)).toBeLessThanOrEqual(3_000);
    await redis.hset(key, "level", "0", "at", `${Date.now() + 3_600_000}`);
    await redis.persist(key);
    await eventually(async () => (await flows[0]!.acquire(requestFor(service))).status === "granted");
    expect(await redis.pttl(key)).toBeGreaterThan(0);
  });

  it("ends each lease at its own deadline under steady traffic, and keeps those that renew", async () => {
    const [flow] = await openFlows(server.url, 1, { leaseMs: 300 });
    const service = newService({ concurrency: 5 });
    const [kept] = await Promise.all([1, 2, 3].map(async () => permitOf(await flow!.acquire(requestFor(service)))));
    await eventually(async () => {
      expect(await flow!.heartbeat(kept!)).toBe("kept");
      return (await flow!.show(service.name, service.limits)).inFlight === 1;
    });
    expect(await flow!.finish(kept!, "succeeded", service)).toBe(true);
    expect(await flow!.finish(kept!, "succeeded", service)).toBe(false);
    expect(await flow!.heartbeat(kept!)).toBe("gone");
    await flow!.close();
  });

  it("admits whoever waits as long as it was told, in seconds rounded up, at 1 000 random levels", async () => {
    let now = 1_700_000_000_000;
    const store = new RedisFlowStore({
      connect: connectTo(server.url),
      leaseMs: 1,
      timeoutMs: 1_000,
      clock: () => now,
    });
    await eventually(async () => store.connected);
    let seed = 11;
    const random = (most: number): number => (seed = (seed * 48_271) % 2_147_483_647) % most;
    let waited = 0;
    for (let i = 0; i < 1_000; i++) {
      const burst = 1 + random(50);
      const service = newService(
        { rate: { ratePerSecond: (1 + random(400)) / 7, burst } },
        { rate: { ratePerSecond: (1 + random(100)) / 3, burst } },
      );
      await store.decide(requestFor(service, { cost: random(burst + 1) }), null);
      const cost = 1 + random(burst);
      const told = await store.decide(requestFor(service, { cost }), null);
      if (told.status !== "refused") continue;
      waited++;
      now += 1_000 * Math.ceil(told.retryAfterMs! / 1_000);
      expect(await store.decide(requestFor(service, { cost }), null)).toMatchObject({ status: "granted" });
    }
    expect(waited).toBeGreaterThan(200);
    store.close();
  });

  it("counts a lost permit's attempt, over processes", async () => {
    const service = newService({ concurrency: 5 });
    const request = { child: "c", attempts: 2 };
    expect(permitOf(await flows[0]!.acquire(requestFor(service, request))).attempt).toBe(1);
    expect(permitOf(await flows[1]!.acquire(requestFor(service, request))).attempt).toBe(2);
    expect(await flows[0]!.acquire(requestFor(service, request))).toMatchObject({
      reason: "attempts_exhausted",
      retryAfterMs: null,
    });
  });

  it("grants nothing beyond the limits after SCRIPT FLUSH, and decides alone where a key has a wrong type, and there only", async () => {
    const service = newService({ concurrency: 1 });
    permitOf(await flows[0]!.acquire(requestFor(service)));
    await redis.script("FLUSH");
    expect(await flows[1]!.acquire(requestFor(service))).toMatchObject({ reason: "concurrency_limited" });
    const spoilt = newService({ concurrency: 1 });
    await redis.set(`holdfast:{${spoilt.name}}:service:leases`, "not a set");
    const sound = [newService({ concurrency: 1 }), newService({ concurrency: 1 })];
    const together = [sound[0]!, spoilt, sound[1]!].map((each) => flows[0]!.acquire(requestFor(each)));
    const stores = (await Promise.all(together)).map((acquired) => permitOf(acquired).store);
    expect(stores).toEqual(["shared", "local", "shared"]);
    expect(await flows[0]!.acquire(requestFor(spoilt))).toMatchObject({ reason: "concurrency_limited" });
  });

  it.each([
    ["is out of memory", (client: Redis) => client.config("SET", "maxmemory", "1")],
    ["has become a replica", (client: Redis) => client.replicaof("127.0.0.1", 1)],
  ])("grants what the limits allow and no more when Redis %s", async (_, disturb) => {
    await disturb(redis);
    const service = newService({ concurrency: 1, rate: { ratePerSecond: 1, burst: 5 } });
    const held = permitOf(await flows[0]!.acquire(requestFor(service)));
    expect(await flows[0]!.acquire(requestFor(service))).toMatchObject({ reason: "concurrency_limited" });
    expect(await flows[0]!.finish(held, "succeeded", service)).toBe(true);
    permitOf(await flows[0]!.acquire(requestFor(service)));
  });

  it("decides for each process alone while Redis is away, counts it, and shares again when it is back", async () => {
    const service = newService({ concurrency: 2, queue: { max: 10, maxWaitMs: 10_000 } });
    const shared = permitOf(await flows[0]!.acquire(requestFor(service)));
    await server.kill();
    await eventually(async () => flows.every((flow) => !flow.isShared));
    const held = await Promise.all(flows.map(async (flow) => permitOf(await flow.acquire(requestFor(service)))));
    expect(held.map(({ store }) => store)).toEqual(["local", "local"]);
    expect(alone).toBeGreaterThanOrEqual(2);
    expect(await flows[0]!.heartbeat(shared)).toBe("unknown");
    expect(await flows[0]!.finish(shared, "succeeded", service)).toBe(false);
    expect(unheard).toBe(1);

    await server.restart();
    await eventually(async () => {
      const acquired = await flows[0]!.acquire(requestFor(service));
      if (acquired.status === "granted") await flows[0]!.finish(acquired.permit, "succeeded", service);
      return acquired.status === "granted" && acquired.permit.store === "shared";
    });
    expect(await flows[1]!.finish(held[1]!, "succeeded", service)).toBe(true);
  });

  it("queues those who wait anew when Redis has lost everything", async () => {
    const service = newService({ concurrency: 1, queue: { max: 10, maxWaitMs: 20_000 } });
    permitOf(await flows[0]!.acquire(requestFor(service)));
    const waiting = flows[1]!.acquire(requestFor(service), { waitMs: 20_000 });
    await eventually(
      async () => Object.keys((await flows[0]!.show(service.name, service.limits)).waiting).length === 1,
    );
    await redis.flushall();
    expect(permitOf(await waiting).store).toBe("shared");
  });

  it("lets a caller go on that waited when Redis went away", async () => {
    const service = newService({ concurrency: 1, queue: { max: 10, maxWaitMs: 20_000 } });
    permitOf(await flows[0]!.acquire(requestFor(service)));
    const waiting = flows[1]!.acquire(requestFor(service), { waitMs: 20_000 });
    await eventually(
      async () => Object.keys((await flows[0]!.show(service.name, service.limits)).waiting).length === 1,
    );
    await server.kill();
    expect(permitOf(await waiting).store).toBe("local");
    expect(flows[1]!.waiting).toBe(0);
    await server.restart();
  });
});
