import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { startProcess, tenantWithJob, type Fixture, type HoldfastProcess, type Reply } from "../support/program.js";
import { eventually } from "../support/record.js";
import {
  certificate,
  startRedisCluster,
  startRedisSentinels,
  startRedisServer,
  type RedisSentinels,
  type RedisServer,
  type ServerOptions,
} from "../support/redis-servers.js";
import { freshDatabase, type FreshDatabase } from "../support/services.js";

const LIMIT = 100;
/** Enough that each of three masters has some. */
const TENANTS = 12;
/** A failover takes seconds, and a busy machine makes several of each. */
const LONGEST_MS = 60_000;

let database: FreshDatabase;
let keys = 0;

beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database?.drop());

interface Running {
  readonly url: string;
  stop(): Promise<void>;
}

/** Runs the service over a Redis of its own, and ends both whatever becomes of the test. */
async function over<R extends Running>(
  starting: Promise<R>,
  test: (holdfast: HoldfastProcess, redis: R) => Promise<void>,
): Promise<void> {
  const redis = await starting;
  try {
    const own = { HOLDFAST_DATABASE_URL: database.url, HOLDFAST_REDIS_URL: redis.url };
    const holdfast = await startProcess({
      ...own,
      HOLDFAST_REDIS_TIMEOUT_MS: "500",
      HOLDFAST_COMMIT_TIMEOUT_MS: "5000",
    });
    try {
      await test(holdfast, redis);
    } finally {
      expect(await holdfast.end("SIGTERM")).toMatchObject({ code: 0, err: "" });
    }
  } finally {
    await redis.stop();
  }
}

const reserve = (holdfast: HoldfastProcess, { key, job }: Fixture, units: number): Promise<Reply> =>
  holdfast.call(key, "POST", `/v1/jobs/${job}/reservations`, { amounts: { units } }, `key-${++keys}`);

/** Tenants of which everything is held. */
async function fullTenants(holdfast: HoldfastProcess): Promise<Fixture[]> {
  const tenants: Fixture[] = [];
  while (tenants.length < TENANTS) {
    const tenant = await tenantWithJob(holdfast, LIMIT);
    expect((await reserve(holdfast, tenant, LIMIT)).status).toBe(201);
    tenants.push(tenant);
  }
  return tenants;
}

/** While the record lets nobody at the tenants, only copies can deny; whoever asks the record waits. */
async function deniedByCopies(holdfast: HoldfastProcess, tenants: readonly Fixture[]): Promise<boolean> {
  // Copies are believed for two seconds: those that are older are made anew, or others would be too old in each try.
  await Promise.all(tenants.map((tenant) => reserve(holdfast, tenant, 1)));
  const locker = new pg.Client({ connectionString: database.url });
  await locker.connect();
  try {
    await locker.query("BEGIN");
    await locker.query("SELECT 1 FROM tenants WHERE id = ANY($1) FOR UPDATE", [tenants.map(({ tenant }) => tenant)]);
    const answers = Promise.all(tenants.map((tenant) => reserve(holdfast, tenant, 1)));
    const inTime = await Promise.race([answers, sleep(1_500)]);
    await locker.query("ROLLBACK");
    expect((await answers).map(({ status }) => status)).toEqual(tenants.map(() => 402));
    return inTime !== undefined;
  } finally {
    await locker.end();
  }
}

/** Soon, and not at once: a client that has just been connected anew, or a machine that is busy, leaves Redis alone for a moment. */
const expectDeniedByCopies = (holdfast: HoldfastProcess, tenants: readonly Fixture[]): Promise<void> =>
  eventually(() => deniedByCopies(holdfast, tenants), 20_000);

async function expectRight(holdfast: HoldfastProcess, tenant: Fixture): Promise<void> {
  const { body } = await holdfast.call(tenant.key, "GET", "/v1/balances?scope=tenant");
  expect(body["data"]).toMatchObject([{ reserved: LIMIT, spent: 0, available: 0, overage: 0 }]);
}

const secured: ServerOptions = { password: "p@ss:w/rd", tls: "server" };

async function startWithClientCertificate(): Promise<Running> {
  const server = await startRedisServer({ tls: "server", lines: ["tls-auth-clients yes"] });
  return { ...server, url: `${server.url}&cert=${certificate("server.pem")}&key=${certificate("server.key")}` };
}

async function startClusterByName(): Promise<Running> {
  const cluster = await startRedisCluster({ ...secured, tls: "elsewhere" });
  return { ...cluster, url: `${cluster.url}&servername=elsewhere.test` };
}

describe("copies deny, whatever form of Redis the address names:", () => {
  it.each<[string, () => Promise<Running>]>([
    ["a server with TLS and a password", () => startRedisServer(secured)],
    ["a server that wants a certificate of its clients", startWithClientCertificate],
    ["a cluster", () => startRedisCluster()],
    ["a cluster with TLS and a password, by a name that its addresses do not have", startClusterByName],
    ["a master behind a Sentinel", () => startRedisSentinels()],
    ["a master behind a Sentinel, with TLS and passwords", () => startRedisSentinels(secured)],
  ])(
    "%s",
    async (_name, start) => {
      await over(start(), async (holdfast) => {
        const tenants = await fullTenants(holdfast);
        await expectDeniedByCopies(holdfast, tenants);
      });
    },
    LONGEST_MS,
  );
});

/** Traffic to full tenants while something happens: nobody is admitted, nobody gets a server error. */
async function expectOnly402(
  holdfast: HoldfastProcess,
  tenants: readonly Fixture[],
  happening: () => Promise<void>,
): Promise<void> {
  const statuses = new Set<number>();
  let over = false;
  const callers = tenants.map(async (tenant) => {
    while (!over) statuses.add((await reserve(holdfast, tenant, 1)).status);
  });
  await happening().finally(() => (over = true));
  await Promise.all(callers);
  expect([...statuses]).toEqual([402]);
}

async function asked(server: RedisServer, command: string, ...args: string[]): Promise<unknown> {
  const client = server.client();
  try {
    return await client.call(command, ...args);
  } finally {
    client.disconnect();
  }
}

const isMaster = async (server: RedisServer): Promise<boolean> =>
  String(await asked(server, "INFO", "replication")).includes("role:master");

describe("a failover in mid-traffic changes no answer, and the new master is used:", () => {
  it.each<[string, (redis: RedisSentinels) => Promise<unknown>]>([
    ["by SENTINEL FAILOVER", ({ sentinel, name }) => asked(sentinel, "SENTINEL", "FAILOVER", name)],
    ["of a Sentinel's master that is killed", ({ master }) => master.kill()],
    ["of a Sentinel's master that is hung", ({ master }) => Promise.resolve(master.suspend())],
  ])(
    "%s",
    async (_name, fail) => {
      await over(startRedisSentinels(secured), async (holdfast, redis) => {
        const tenants = await fullTenants(holdfast);
        await expectOnly402(holdfast, tenants, async () => {
          await fail(redis);
          await eventually(() => isMaster(redis.replica), 15_000);
        });
        await expectDeniedByCopies(holdfast, tenants);
        await expectRight(holdfast, tenants[0]!);
      });
    },
    LONGEST_MS,
  );

  it.each(["killed", "hung"] as const)(
    "of a cluster's master that is %s",
    async (how) => {
      await over(startRedisCluster({}, { replicas: true }), async (holdfast, { nodes }) => {
        const tenants = await fullTenants(holdfast);
        const [master, , , replica] = nodes as [RedisServer, RedisServer, RedisServer, RedisServer];
        await expectOnly402(holdfast, tenants, async () => {
          if (how === "killed") await master.kill();
          else master.suspend();
          await eventually(() => isMaster(replica), 15_000);
        });
        await expectDeniedByCopies(holdfast, tenants);
        await expectRight(holdfast, tenants[0]!);
      });
    },
    LONGEST_MS,
  );
});
