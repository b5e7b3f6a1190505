import { Cluster } from "ioredis";
import { Flow } from "#libs/flow";
import { WAKE_CHANNEL } from "../../libs/flow/redis/keys.js";
import { eventually } from "../support/record.js";
import { startRedisCluster, type RedisCluster } from "../support/redis-servers.js";
import { newService, permitOf, requestFor } from "./flow-fixtures.js";

let cluster: RedisCluster;
let flows: Flow[];

beforeAll(async () => {
  cluster = await startRedisCluster();
  const nodes = cluster.nodes.map(({ port }) => ({ host: "127.0.0.1", port }));
  const connect = (): Cluster =>
    new Cluster(nodes, { enableOfflineQueue: false, redisOptions: { maxRetriesPerRequest: 0 } });
  flows = [1, 2].map(() => new Flow({ connect, timeoutMs: 1_000 }));
  await eventually(async () => flows.every((flow) => flow.isShared));
}, 60_000);

afterAll(async () => {
  await Promise.all(flows.map((flow) => flow.close()));
  await cluster.stop();
});

describe("flow control over a cluster", () => {
  it("gives back what the service gave when the tenant refuses", async () => {
    const rate = { ratePerSecond: 0.01, burst: 10 };
    const service = newService({ concurrency: 5, rate }, { concurrency: 1 });
    const held = permitOf(await flows[0]!.acquire(requestFor(service)));
    expect(held).toMatchObject({ store: "shared", passes: [{}, {}] });
    for (let i = 0; i < 50; i++) {
      const refused = await flows[i % 2]!.acquire(requestFor(service));
      expect(refused).toMatchObject({ reason: "concurrency_limited", scope: "tenant" });
    }
    expect(await flows[0]!.show(service.name, service.limits)).toMatchObject({ inFlight: 1, tokens: 9 });
    expect(await flows[0]!.show(service.name, service.tenantLimits!, held.tenantId)).toMatchObject({
      ...{ inFlight: 1, places: 1, tokens: null, waiting: {} },
    });
    expect(await flows[1]!.heartbeat(held)).toBe("kept");
    expect(await flows[1]!.finish(held, "succeeded", service)).toBe(true);
    expect(await flows[1]!.finish(held, "succeeded", service)).toBe(false);
    permitOf(await flows[0]!.acquire(requestFor(service)));
  });

  it("gives back a probe's place when the plan has no attempt left", async () => {
    const breaker = { failures: 1, windowMs: 1_000, resetMs: 100, probes: 1 };
    const service = newService({ breaker });
    await flows[0]!.trip(service.name, service.limits);
    await eventually(async () => (await flows[0]!.show(service.name, service.limits)).breaker === "half_open");
    const spent = requestFor(service, { attempts: 1, attemptsOnRecord: 1 });
    expect(await flows[0]!.acquire(spent)).toMatchObject({ reason: "attempts_exhausted" });
    permitOf(await flows[1]!.acquire(requestFor(service)));
  });

  it("wakes whoever's turn it is in another process", async () => {
    const service = newService({ concurrency: 1, queue: { max: 10, maxWaitMs: 10_000 } }, { concurrency: 1 });
    const held = permitOf(await flows[0]!.acquire(requestFor(service)));
    const waiting = flows[1]!.acquire(requestFor(service), { waitMs: 10_000 });
    await eventually(
      async () => Object.keys((await flows[0]!.show(service.name, service.limits)).waiting).length === 1,
    );
    await flows[0]!.finish(held, "succeeded", service);
    expect(permitOf(await waiting).store).toBe("shared");
  });

  it("wakes again who waits in another process after every connection that hears was cut", async () => {
    const service = newService({ concurrency: 1, queue: { max: 10, maxWaitMs: 10_000 } });
    const clients = cluster.nodes.map((node) => node.client());
    const cut = () => Promise.all(clients.map((client) => client.call("CLIENT", "KILL", "TYPE", "pubsub")));
    const heard = async () => {
      const channels = await Promise.all(clients.map((client) => client.pubsub("CHANNELS", `${WAKE_CHANNEL}*`)));
      return new Set(channels.flat()).size;
    };
    try {
      await eventually(async () => (await heard()) === 2);
      const held = permitOf(await flows[0]!.acquire(requestFor(service)));
      const waiting = flows[1]!.acquire(requestFor(service), { waitMs: 10_000 });
      await eventually(
        async () => Object.keys((await flows[0]!.show(service.name, service.limits)).waiting).length === 1,
      );
      await cut();
      await eventually(async () => (await heard()) === 2);
      await flows[0]!.finish(held, "succeeded", service);
      expect(permitOf(await waiting).store).toBe("shared");
    } finally {
      for (const client of clients) client.disconnect();
    }
  });
});
