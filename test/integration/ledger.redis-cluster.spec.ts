import { performance } from "node:perf_hooks";
import type { Redis } from "ioredis";
import pg from "pg";
import type { Ledger } from "#libs/ledger";
import { commandsOf } from "../support/commands.js";
import { answerOf, tally } from "../support/outcomes.js";
import { eventually, TestRecord } from "../support/record.js";
import { startRedisCluster, type RedisCluster, type RedisServer } from "../support/redis-servers.js";

/** Longest wait for Redis in these tests, milliseconds. */
const REDIS_MS = 250;

let record: TestRecord;
let cluster: RedisCluster;
let ledger: Ledger;

beforeAll(async () => {
  [record, cluster] = await Promise.all([TestRecord.start(), startRedisCluster()]);
  ledger = record.open({ redisUrl: cluster.url, redisTimeoutMs: REDIS_MS });
}, 60_000);

afterEach(() => record.expectSound());

afterAll(async () => {
  await record?.stop();
  await cluster?.stop();
});

/** Limit 1000, of which 900 are held. */
async function usedTenant() {
  const tenantId = await record.newTenant();
  const commands = commandsOf(tenantId);
  const jobId = answerOf(await ledger.execute(commands.createJob()))["id"] as string;
  answerOf(await ledger.reserve(commands.reserve(jobId, 900)));
  const reserve = (tokens: number) => ledger.reserve(commands.reserve(jobId, tokens));
  await eventually(() => deniedByCopies(tenantId, reserve));
  return { tenantId, reserve };
}

type Used = Awaited<ReturnType<typeof usedTenant>>;

/** While the tenant is locked, only copies can deny. */
async function deniedByCopies(tenantId: string, reserve: Used["reserve"]): Promise<boolean> {
  const locker = new pg.Client({ connectionString: record.database.url });
  await locker.connect();
  try {
    await locker.query("BEGIN");
    await locker.query("SELECT 1 FROM tenants WHERE id = $1 FOR UPDATE", [tenantId]);
    const denied = reserve(500).then(({ type }) => type === "refused");
    const late = new Promise<false>((resolve) => setTimeout(() => resolve(false), 400));
    const inTime = await Promise.race([denied, late]);
    await locker.query("ROLLBACK");
    await denied;
    return inTime;
  } finally {
    await locker.end();
  }
}

/** Exactly what fits is admitted, in bounded time, whatever Redis does. */
async function expectRight({ tenantId, reserve }: Used): Promise<void> {
  const start = performance.now();
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => reserve(50)));
  expect(tally(outcomes)).toEqual({ done: 2, allowance_exhausted: 18 });
  expect(tally([await reserve(1)])).toEqual({ allowance_exhausted: 1 });
  expect(performance.now() - start).toBeLessThan(4 * REDIS_MS + 1_000);
  expect(await record.taken(tenantId)).toEqual([1_000, 0]);
}

/** The node that has the tenant's slot, and another, with clients of both. */
async function sidesOf(tenantId: string) {
  const clients = cluster.nodes.map((node) => node.client());
  const slot = await clients[0]!.cluster("KEYSLOT", `{${tenantId}}`);
  const at = clients.findIndex((_, i) => slot <= [5_460, 10_922, 16_383][i]!);
  const other = (at + 1) % 3;
  const [from, to] = [clients[at]!, clients[other]!];
  const ids = await Promise.all([from, to].map((client) => client.cluster("MYID")));
  const side = (i: number) => ({ node: cluster.nodes[i]!, client: clients[i]!, id: String(ids[i === at ? 0 : 1]) });
  return { slot, from: side(at), to: side(other), close: () => clients.forEach((client) => client.disconnect()) };
}

interface Side {
  readonly node: RedisServer;
  readonly client: Redis;
  readonly id: string;
}

const setSlot = ({ client }: Side, slot: number, ...words: string[]) =>
  client.call("CLUSTER", "SETSLOT", slot, ...words);

describe("a cluster whose slot is on its way to another node", () => {
  it("redirects (ASK), or cannot tell for keys in both places (TRYAGAIN): what fits is admitted, no more", async () => {
    const used = await usedTenant();
    const { slot, from, to, close } = await sidesOf(used.tenantId);
    await setSlot(to, slot, "IMPORTING", from.id);
    await setSlot(from, slot, "MIGRATING", to.id);
    const [key = ""] = await from.client.cluster("GETKEYSINSLOT", slot, 100);
    await from.client.migrate("127.0.0.1", to.node.port, key, 0, 1_000);
    await expectRight(used);
    for (const rest of await from.client.cluster("GETKEYSINSLOT", slot, 100)) {
      await from.client.migrate("127.0.0.1", to.node.port, rest, 0, 1_000, "REPLACE");
    }
    await eventually(() => deniedByCopies(used.tenantId, used.reserve));
    for (const side of [to, from]) await setSlot(side, slot, "NODE", to.id);
    close();
  });

  it("has moved it (MOVED): copies are used where they are now", async () => {
    const used = await usedTenant();
    const { slot, from, to, close } = await sidesOf(used.tenantId);
    const keys = await from.client.cluster("GETKEYSINSLOT", slot, 100);
    if (keys.length > 0) await from.client.del(keys);
    for (const side of [to, from]) await setSlot(side, slot, "NODE", to.id);
    await expectRight(used);
    await eventually(() => deniedByCopies(used.tenantId, used.reserve));
    expect(await to.client.exists(`holdfast:{${used.tenantId}}:copy:tenant:${used.tenantId}:tokens:none`)).toBe(1);
    close();
  });
});

describe("a cluster that lost a node without a replica", () => {
  it("answers CLUSTERDOWN: the record decides alone in bounded time, and copies are used again when it is back", async () => {
    const tenants = await Promise.all(Array.from({ length: 4 }, usedTenant));
    await cluster.nodes[2]!.kill();
    const watcher = cluster.nodes[0]!.client();
    await expectRight(tenants[0]!);
    await eventually(async () => (await watcher.cluster("INFO")).includes("cluster_state:fail"));
    for (const tenant of tenants.slice(1)) await expectRight(tenant);
    await cluster.nodes[2]!.restart();
    await eventually(async () => (await watcher.cluster("INFO")).includes("cluster_state:ok"));
    watcher.disconnect();
    for (const { tenantId, reserve } of tenants) await eventually(() => deniedByCopies(tenantId, reserve), 15_000);
    expect(ledger.status().redis).toBe("used");
  });

  it("and all others is not called used, and is used again once they are back", async () => {
    await Promise.all(cluster.nodes.map((node) => node.kill()));
    await eventually(() => Promise.resolve(ledger.status().redis === "bypassed"));
    await Promise.all(cluster.nodes.map((node) => node.restart()));
    await eventually(() => Promise.resolve(ledger.status().redis === "used"), 20_000);
    await usedTenant();
  });
});
