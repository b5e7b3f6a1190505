import { performance } from "node:perf_hooks";
import { Redis } from "ioredis";
import type { Ledger } from "#libs/ledger";
import { commandsOf } from "../support/commands.js";
import { answerOf, tally } from "../support/outcomes.js";
import { eventually, TestRecord } from "../support/record.js";
import { startPrivateRedis, type PrivateRedis } from "../support/services.js";

/** Longest wait for Redis in these tests, milliseconds. */
const REDIS_MS = 150;

let record: TestRecord;
let server: PrivateRedis;
let redis: Redis;
let ledger: Ledger;

beforeAll(async () => {
  [record, server] = await Promise.all([TestRecord.start(), startPrivateRedis()]);
  redis = new Redis(server.url);
  redis.on("error", () => undefined);
  ledger = record.open({ redisUrl: server.url, redisTimeoutMs: REDIS_MS });
});

afterEach(() => record.expectSound());

afterAll(async () => {
  await record.stop();
  redis.disconnect();
  await server.stop();
});

const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

/** Limit 1000, spent 700, held 200: two reservations of 50 fit. The copies stand in Redis. */
async function usedTenant() {
  const tenantId = await record.newTenant();
  const commands = commandsOf(tenantId);
  const jobId = answerOf(await ledger.execute(commands.createJob()))["id"] as string;
  const spent = answerOf(await ledger.reserve(commands.reserve(jobId, 700)))["id"] as string;
  const held = answerOf(await ledger.reserve(commands.reserve(jobId, 200, { ttlMs: 3_600_000 }))) as {
    id: string;
    expiresAt: string;
  };
  answerOf(await ledger.execute(commands.settle(spent, 700)));
  const key = `holdfast:{${tenantId}}:copy:tenant:${tenantId}:tokens:none`;
  await eventually(async () => (await redis.get(key))?.startsWith("3:1000:200:700:"));
  return { tenantId, commands, jobId, held, key };
}

type Used = Awaited<ReturnType<typeof usedTenant>>;

const keysOf = ({ tenantId }: Used) => redis.keys(`holdfast:{${tenantId}}:*`);
const at = async () => Number((await redis.time())[0]) * 1_000;

/** Copies as they may come back from an old snapshot or a second master, by version and figures. */
const plant = async (used: Used, version: number, figures: string) => {
  const now = await at();
  for (const key of await keysOf(used)) await redis.set(key, `${version}:${figures}:${now}`);
};

const LOSSES: [string, (used: Used) => Promise<unknown>][] = [
  ["is flushed", () => redis.flushall()],
  ["loses the tenant's keys", async (used) => redis.del(await keysOf(used))],
  ["loses one key", ({ key }) => redis.del(key)],
  [
    "has lists where copies should be",
    async (used) => {
      for (const key of await keysOf(used)) await redis.multi().del(key).lpush(key, "x").exec();
    },
  ],
  [
    "has nonsense where copies should be",
    async (used) => {
      for (const key of await keysOf(used)) await redis.set(key, "1:-5:x");
    },
  ],
  ["came back with older copies that show more room", (used) => plant(used, 1, "1000:0:100")],
  ["came back with older copies that show no room", (used) => plant(used, 1, "1000:1000:0")],
  ["holds newer versions than the record, with no limit", (used) => plant(used, 1_000_000, ":0:0")],
  ["loses its scripts", () => redis.script("FLUSH")],
];

describe("a Redis that", () => {
  it.each(LOSSES)("%s: exactly what fits is admitted, and what was spent and held stands", async (_, disturb) => {
    const used = await usedTenant();
    const { tenantId, commands, jobId, held } = used;
    await disturb(used);
    // An older copy may refuse only while it counts as fresh; then the record is read.
    const outcomes = await Promise.all(times(30, () => ledger.reserve(commands.reserve(jobId, 50))));
    const admitted = outcomes.filter(({ type }) => type === "done").length;
    expect(admitted).toBeLessThanOrEqual(2);
    let left = 2 - admitted;
    await eventually(
      async () =>
        left === 0 || ((await ledger.reserve(commands.reserve(jobId, 50))).type === "done" && (left -= 1) === 0),
    );
    expect(tally(await Promise.all(times(5, () => ledger.reserve(commands.reserve(jobId, 1)))))).toEqual({
      allowance_exhausted: 5,
    });
    expect(await record.taken(tenantId)).toEqual([300, 700]);
    const settled = answerOf(await ledger.execute(commands.settle(held.id, 250)));
    expect(settled).toMatchObject({ late: false, expiresAt: held.expiresAt });
    expect(await record.taken(tenantId)).toEqual([100, 950]);
    expect(ledger.status().redis).toBe("used");
  });

  it("holds copies from its own future, after its clock went back, is not believed", async () => {
    const { commands, jobId, key } = await usedTenant();
    await redis.set(key, `3:1000:1000:0:${(await at()) + 3_600_000}`);
    expect(tally([await ledger.reserve(commands.reserve(jobId, 100))])).toEqual({ done: 1 });
  });
});

const FAILURES: [string, () => Promise<unknown>, () => Promise<unknown>][] = [
  ["takes no writes, as a replica", () => redis.replicaof("127.0.0.1", 1), () => redis.replicaof("NO", "ONE")],
  ["is out of memory", () => redis.config("SET", "maxmemory", "1"), () => redis.config("SET", "maxmemory", "0")],
  ["does not answer", () => server.suspend(), () => server.resume()],
  ["is gone", () => server.kill(), () => server.restart()],
];

describe("a Redis that for a while", () => {
  it.each(FAILURES)(
    "%s: the record decides alone in bounded time, and Redis is used again when it is back",
    async (_, fail, mend) => {
      const { tenantId, commands, jobId, held } = await usedTenant();
      await fail();
      const start = performance.now();
      const outcomes = await Promise.all(times(30, () => ledger.reserve(commands.reserve(jobId, 50))));
      expect(tally(outcomes)).toEqual({ done: 2, allowance_exhausted: 28 });
      answerOf(await ledger.execute(commands.settle(held.id, 150)));
      answerOf(await ledger.reserve(commands.reserve(jobId, 50)));
      expect(tally([await ledger.reserve(commands.reserve(jobId, 1))])).toEqual({ allowance_exhausted: 1 });
      expect(performance.now() - start).toBeLessThan(6 * REDIS_MS + 500);
      expect(await record.taken(tenantId)).toEqual([150, 850]);

      await mend();
      await eventually(async () => {
        const outcome = await ledger.reserve(commands.reserve(jobId, 1));
        expect(outcome.type).toBe("refused");
        const copy = await redis.get(`holdfast:{${tenantId}}:copy:tenant:${tenantId}:tokens:none`);
        return ledger.status().redis === "used" && copy?.includes(":1000:150:850:");
      });
    },
  );

  it("is gone is not called used, also by a process that asks nothing of it", async () => {
    await server.kill();
    await eventually(() => Promise.resolve(ledger.status().redis === "bypassed"));
    await server.restart();
    await eventually(() => Promise.resolve(ledger.status().redis === "used"));
  });

  it("is slow answers no slower than the time-out for each look, and never wrong", async () => {
    const { tenantId, commands, jobId } = await usedTenant();
    await redis.client("PAUSE", 400);
    const start = performance.now();
    expect(tally([await ledger.reserve(commands.reserve(jobId, 100))])).toEqual({ done: 1 });
    expect(performance.now() - start).toBeLessThan(2 * REDIS_MS + 200);
    expect(await record.taken(tenantId)).toEqual([300, 700]);
  });
});
