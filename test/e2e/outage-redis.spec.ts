import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import pg from "pg";
import { freePort } from "#libs/embedded";
import { startProcess, tenantWithJob, type Fixture, type HoldfastProcess } from "../support/program.js";
import { eventually } from "../support/record.js";
import { freshDatabase, startPrivateRedis, type FreshDatabase, type PrivateRedis } from "../support/services.js";

const LIMIT = 2_000;
const CALLERS = 16;
/** A decision is taken some time before its answer is read, and copies may be as old as a time-out of Redis. */
const SLACK_MS = 250;

let database: FreshDatabase;
let record: pg.Pool;
let redis: PrivateRedis;
let operator: Redis;
let holdfast: HoldfastProcess;
let keys = 0;

beforeAll(async () => {
  [database, redis] = await Promise.all([freshDatabase(), startPrivateRedis()]);
  record = new pg.Pool({ connectionString: database.url, max: 1 });
  record.on("error", () => undefined);
  operator = new Redis(redis.url, { enableReadyCheck: false });
  operator.on("error", () => undefined);
  holdfast = await startProcess({
    HOLDFAST_DATABASE_URL: database.url,
    HOLDFAST_REDIS_URL: redis.url,
    HOLDFAST_COMMIT_TIMEOUT_MS: "5000",
  });
}, 60_000);
afterAll(async () => {
  await holdfast?.end("SIGTERM");
  operator?.disconnect();
  await redis?.stop();
  await record?.end();
  await database?.drop();
});

const reserve = ({ key, job }: Fixture, units: number) =>
  holdfast.call(key, "POST", `/v1/jobs/${job}/reservations`, { amounts: { units } }, `key-${++keys}`);
const settle = ({ key }: Fixture, id: string, units: number) =>
  holdfast.call(key, "POST", `/v1/reservations/${id}/settle`, { actual: { units } });

interface Denial {
  readonly from: number;
  readonly to: number;
  readonly units: number;
}

interface Traffic {
  readonly statuses: Set<string>;
  readonly denials: readonly Denial[];
  readonly admitted: number;
  readonly spent: number;
}

/** Callers that together ask for more than the limit, and give nearly all of it back, until `mistreat` is over and a while longer. */
async function trafficDuring(tenant: Fixture, mistreat: () => Promise<void>): Promise<Traffic> {
  const statuses = new Set<string>();
  const denials: Denial[] = [];
  let [admitted, spent, over] = [0, 0, false];
  const caller = async (_: unknown, number: number): Promise<void> => {
    for (let round = number; !over; round += 1) {
      const units = 100 + ((round * 137) % 400);
      const from = Date.now();
      const reply = await reserve(tenant, units);
      statuses.add(`reserve ${reply.status}`);
      if (reply.status === 402) denials.push({ from, to: Date.now(), units });
      if (reply.status !== 201) continue;
      admitted += 1;
      const actual = round % 20 === 0 ? 1 : 0;
      statuses.add(`settle ${(await settle(tenant, reply.body.id as string, actual)).status}`);
      spent += actual;
    }
  };
  const callers = Array.from({ length: CALLERS }, caller);
  await sleep(200);
  await mistreat();
  await sleep(400);
  over = true;
  await Promise.all(callers);
  return { statuses, denials, admitted, spent };
}

/** What was taken after each entry of the ledger, in the order of the entries. */
async function history({ tenant }: Fixture): Promise<{ at: number; taken: number; type: string }[]> {
  const { rows } = await record.query<{ at: number; taken: number; type: string }>(
    `SELECT (extract(epoch FROM at) * 1000)::float8 AS at, type, (sum(reserved + spent) OVER (ORDER BY seq))::float8 AS taken
     FROM ledger_entries WHERE tenant_id = $1 AND unit = 'units' ORDER BY seq`,
    [tenant],
  );
  return rows;
}

/** Every state of the ledger that follows an entry is within the limit, and each denial had a state that refuses it. */
async function expectRight(tenant: Fixture, { denials }: Traffic): Promise<void> {
  const states = await history(tenant);
  expect(states.filter(({ taken }) => taken > LIMIT)).toEqual([]);
  const wrong = denials.filter(({ from, to, units }) => {
    const during = states.filter(
      ({ at }, i) => at <= to + SLACK_MS && (states[i + 1]?.at ?? Infinity) >= from - SLACK_MS,
    );
    return during.every(({ taken }) => taken + units <= LIMIT);
  });
  expect(wrong).toEqual([]);
}

/** Takes all that is left, and waits until Redis has the copy that says so. */
async function expectUsedAgain(tenant: Fixture, left: number): Promise<void> {
  expect((await reserve(tenant, left)).status).toBe(201);
  await eventually(async () => {
    expect((await reserve(tenant, 1)).status).toBe(402);
    const copy = await operator.get(`holdfast:{${tenant.tenant}}:copy:tenant:${tenant.tenant}:units:none`);
    return copy?.split(":").slice(1, 4).join(":") === `${LIMIT}:${left}:${LIMIT - left}`;
  });
}

const misdeeds: Record<string, () => Promise<void>> = {
  suspended: async () => {
    await redis.suspend();
    await sleep(700);
    await redis.resume();
  },
  "killed and started again": async () => {
    await redis.kill();
    await sleep(400);
    await redis.restart();
  },
  "flushed again and again": async () => {
    for (let i = 0; i < 10; i += 1) await operator.flushall().then(() => sleep(50));
  },
  "read-only, as a replica is": async () => {
    await operator.replicaof("127.0.0.1", await freePort());
    await sleep(700);
    await operator.replicaof("NO", "ONE");
  },
  "out of memory": async () => {
    await operator.config("SET", "maxmemory-policy", "noeviction");
    await operator.config("SET", "maxmemory", "1");
    await sleep(700);
    await operator.config("SET", "maxmemory", "0");
  },
};

describe("a Redis that fails in mid-traffic", () => {
  it.each(Object.entries(misdeeds))(
    "changes no answer of reserve and settle while it is %s, and is used again afterwards",
    async (_name, misdeed) => {
      const tenant = await tenantWithJob(holdfast, LIMIT);
      const traffic = await trafficDuring(tenant, misdeed);
      expect([...traffic.statuses].sort()).toEqual(["reserve 201", "reserve 402", "settle 200"]);
      expect(traffic.admitted).toBeGreaterThan(CALLERS);
      await expectRight(tenant, traffic);
      const { body } = await holdfast.call(tenant.key, "GET", "/v1/balances?scope=tenant");
      expect(body.data).toMatchObject([{ reserved: 0, spent: traffic.spent, available: LIMIT - traffic.spent }]);
      await expectUsedAgain(tenant, LIMIT - traffic.spent);
    },
  );
});
