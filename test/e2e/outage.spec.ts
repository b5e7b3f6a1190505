import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { freePort, startPostgres, type EmbeddedServer } from "#libs/embedded";
import { startProcess, tenantWithJob, type Fixture, type HoldfastProcess, type Reply } from "../support/program.js";
import { freshFolder, startPrivateRedis, type PrivateRedis } from "../support/services.js";

const dataDir = freshFolder();
let port: number;
let postgres: EmbeddedServer;
let redis: PrivateRedis;
let holdfast: HoldfastProcess;
let keys = 0;

beforeAll(async () => {
  port = await freePort();
  postgres = await startPostgres({ dataDir, port });
  redis = await startPrivateRedis();
  holdfast = await startProcess({ HOLDFAST_DATABASE_URL: postgres.url, HOLDFAST_REDIS_URL: redis.url });
}, 60_000);
afterAll(async () => {
  await holdfast?.end("SIGTERM");
  await redis?.stop();
  await postgres?.stop();
});

const reserve = ({ key, job }: Fixture, units: number, idempotencyKey = `key-${++keys}`) =>
  holdfast.call(key, "POST", `/v1/jobs/${job}/reservations`, { amounts: { units } }, idempotencyKey);
const settle = ({ key }: Fixture, id: string, units: number) =>
  holdfast.call(key, "POST", `/v1/reservations/${id}/settle`, { actual: { units } });
const balances = ({ key }: Fixture) => holdfast.call(key, "GET", "/v1/balances?scope=tenant");
const balance = async (of: Fixture) => ((await balances(of)).body.data as Record<string, number>[])[0]!;

/** Repeats a call until it is no longer refused for the outage. */
async function eventually(call: () => Promise<Reply>): Promise<Reply> {
  for (const end = Date.now() + 15_000; ; await sleep(50)) {
    const reply = await call();
    if (reply.status !== 503 || Date.now() > end) return reply;
  }
}

function expectUnavailable(reply: Reply): void {
  expect([reply.status, reply.body.code]).toEqual([503, "ledger_unavailable"]);
  expect(Number(reply.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  expect(reply.ms).toBeLessThan(1_500);
}

/** Spends 100 and holds 200 of 1000, lets `outage` happen, and sends the refused calls again once it is over. */
async function throughOutage(begin: () => Promise<void>, finish: () => Promise<void>): Promise<void> {
  const tenant = await tenantWithJob(holdfast, 1_000);
  await settle(tenant, (await reserve(tenant, 100)).body.id as string, 100);
  const open = (await reserve(tenant, 200)).body.id as string;
  const calls = [() => reserve(tenant, 50, "during"), () => settle(tenant, open, 150), () => balances(tenant)];
  await begin();
  try {
    for (const reply of await Promise.all(calls.map((call) => call()))) expectUnavailable(reply);
    expectUnavailable(await reserve(tenant, 50, "during"));
  } finally {
    await finish();
  }
  expect((await eventually(() => balances(tenant))).body.data).toMatchObject([
    { spent: 100, reserved: 200, available: 700 },
  ]);
  const first = await eventually(calls[0]!);
  expect(first.status).toBe(201);
  expect((await reserve(tenant, 50, "during")).body.id).toBe(first.body.id);
  expect((await eventually(calls[1]!)).status).toBe(200);
  expect(await balance(tenant)).toMatchObject({ spent: 250, reserved: 50, available: 700 });
}

/** Postgres serves each connection in a process of its own, which a stop of their parent does not stop. */
function signalPostgres(signal: NodeJS.Signals): void {
  // The parent first, so that it makes none that is not listed.
  process.kill(postgres.pid, signal);
  const backends = execFileSync("pgrep", ["-P", String(postgres.pid)], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map(Number);
  for (const pid of backends) killIfThere(pid, signal);
}

/** A connection may have ended since it was listed. */
function killIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Settles each reservation, again and again until it is answered with something else than 503. */
async function settleAll(tenant: Fixture, open: readonly string[]): Promise<{ replies: Reply[]; refused: number }> {
  const left = [...open];
  const replies: Reply[] = [];
  let refused = 0;
  const caller = async (): Promise<void> => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      for (let reply = await settle(tenant, id, 1); ; reply = await settle(tenant, id, 1)) {
        if (reply.status !== 503) {
          replies.push(reply);
          break;
        }
        refused += 1;
        await sleep(100);
      }
    }
  };
  await Promise.all(Array.from({ length: 16 }, caller));
  return { replies, refused };
}

it("503 ledger_unavailable: settles through ten seconds without Postgres, each of them once and none lost", async () => {
  const tenant = await tenantWithJob(holdfast, 10_000);
  const held = await Promise.all(Array.from({ length: 500 }, () => reserve(tenant, 2)));
  const open = held.map(({ body }) => body.id as string);
  const settling = settleAll(tenant, open);
  await postgres.stop();
  await sleep(10_000);
  postgres = await startPostgres({ dataDir, port });
  const { replies, refused } = await settling;
  expect(refused).toBeGreaterThan(0);
  expect(replies.map(({ status }) => status)).toEqual(Array(open.length).fill(200));
  expect(await balance(tenant)).toMatchObject({ spent: 500, reserved: 0 });
}, 60_000);

describe("while Postgres is away", () => {
  it("answers 503 soon and takes nothing when Postgres is suspended; the same key then has one effect", async () => {
    await throughOutage(
      async () => signalPostgres("SIGSTOP"),
      async () => signalPostgres("SIGCONT"),
    );
  }, 60_000);

  it("answers 503 soon and takes nothing when Postgres is stopped; the same key then has one effect", async () => {
    await throughOutage(
      () => postgres.stop(),
      async () => void (postgres = await startPostgres({ dataDir, port })),
    );
  }, 60_000);
});

interface Traffic {
  readonly statuses: readonly number[];
  /** How many were admitted when the mistreatment was over. */
  readonly admittedBy: number;
}

/** Sends reserve(10) from eight callers while `mistreat` runs, and on until each of them is denied. */
async function trafficDuring(tenant: Fixture, mistreat: () => Promise<void>): Promise<Traffic> {
  const statuses: number[] = [];
  const admitted = () => statuses.filter((status) => status === 201).length;
  const caller = async (): Promise<void> => {
    for (let status = 201; status === 201; statuses.push(status)) status = (await reserve(tenant, 10)).status;
  };
  const callers = Array.from({ length: 8 }, caller);
  await sleep(200);
  await mistreat();
  const admittedBy = admitted();
  await Promise.all(callers);
  return { statuses, admittedBy };
}

async function flush(): Promise<void> {
  const client = new Redis(redis.url);
  await client.flushall();
  client.disconnect();
}

describe("while Redis is mistreated", () => {
  it.each<[string, () => Promise<void>]>([
    [
      "suspended",
      async () =>
        redis
          .suspend()
          .then(() => sleep(1_000))
          .then(() => redis.resume()),
    ],
    [
      "killed and started again",
      async () =>
        redis
          .kill()
          .then(() => sleep(500))
          .then(() => redis.restart()),
    ],
    [
      "flushed",
      async () =>
        flush()
          .then(() => sleep(200))
          .then(flush),
    ],
  ])(
    "answers no 5xx and never goes above the limit when Redis is %s in traffic",
    async (_name, mistreat) => {
      const tenant = await tenantWithJob(holdfast, 40_000);
      const { statuses, admittedBy } = await trafficDuring(tenant, mistreat);
      expect(admittedBy).toBeGreaterThan(0);
      expect(admittedBy).toBeLessThan(4_000);
      const answers = [...Array<number>(4_000).fill(201), ...Array<number>(8).fill(402)];
      expect([...statuses].sort()).toEqual(answers);
      expect(await balance(tenant)).toMatchObject({ spent: 0, reserved: 40_000, available: 0, overage: 0 });
    },
    60_000,
  );

  it("admits exactly two of 30 parallel reserves of 50 when FLUSHALL came with 700 of 1000 spent and 200 held", async () => {
    const tenant = await tenantWithJob(holdfast, 1_000);
    await settle(tenant, (await reserve(tenant, 700)).body.id as string, 700);
    expect((await reserve(tenant, 200)).status).toBe(201);
    await flush();
    const statuses = (await Promise.all(Array.from({ length: 30 }, () => reserve(tenant, 50)))).map(
      ({ status }) => status,
    );
    expect(statuses.sort()).toEqual([...Array<number>(2).fill(201), ...Array<number>(28).fill(402)]);
    expect(await balance(tenant)).toMatchObject({ spent: 700, reserved: 300, available: 0, overage: 0 });
  });
});
