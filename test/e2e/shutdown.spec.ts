import pg from "pg";
import { startProcess, tenantWithJob, type Fixture, type HoldfastProcess, type Reply } from "../support/program.js";
import { freshDatabase, redisUrl, type FreshDatabase } from "../support/services.js";

const callers = 64;
const endAfter = 500;

let database: FreshDatabase;
let holdfast: HoldfastProcess;

// Patient, as a busy machine needs it: what the record does not answer in time is another matter.
const start = () =>
  startProcess({
    HOLDFAST_DATABASE_URL: database.url,
    HOLDFAST_REDIS_URL: redisUrl(),
    HOLDFAST_COMMIT_TIMEOUT_MS: "5000",
  });
beforeEach(async () => {
  database = await freshDatabase();
  holdfast = await start();
});
afterEach(async () => {
  await holdfast?.end("SIGTERM");
  await database?.drop();
});

const reserve = ({ key, job }: Fixture, idempotencyKey: string) =>
  holdfast.call(key, "POST", `/v1/jobs/${job}/reservations`, { amounts: { units: 1 } }, idempotencyKey);

const settle = ({ key }: Fixture, id: string) =>
  holdfast.call(key, "POST", `/v1/reservations/${id}/settle`, { actual: { units: 3 } });

/** The ids of so many new reservations of 5. */
async function openReservations({ key, job }: Fixture, count: number): Promise<string[]> {
  const one = { op: "reserve", jobId: job, amounts: { units: 5 } };
  const operations = Array.from({ length: count }, (_, i) => ({ ...one, idempotencyKey: `open-${i}` }));
  const { body } = await holdfast.call(key, "POST", "/v1/batch", { operations });
  return (body.results as { body: { id: string } }[]).map((result) => result.body.id);
}

/** What a process on its way out may do to a request. */
const PASSING = ["503 shutting_down", "no answer"];
const refusalOf = (reply: Reply | null) => (reply ? `${reply.status} ${reply.body.code as string}` : "no answer");

/** The ids of the tenant's reservations, as Postgres has them. */
async function recorded({ tenant }: Fixture, state = "open"): Promise<string[]> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string }>(
      "SELECT id FROM reservations WHERE tenant_id = $1 AND state = $2",
      [tenant, state],
    );
    return rows.map(({ id }) => id);
  } finally {
    await client.end();
  }
}

interface Load {
  /** Id of the reservation by key. */
  readonly admitted: ReadonlyMap<string, string>;
  /** What happened to the other keys: the status, or "no answer". */
  readonly failed: ReadonlyMap<string, string>;
}

/** Keeps 64 reserves of 1 in flight, each under a key of its own, and ends each caller with its first failure. */
async function loadUntil(tenant: Fixture, atCount: () => void): Promise<Load> {
  const admitted = new Map<string, string>();
  const failed = new Map<string, string>();
  let keys = 0;
  const caller = async (): Promise<void> => {
    for (;;) {
      const key = `key-${++keys}`;
      const reply = await reserve(tenant, key).catch(() => null);
      if (reply?.status !== 201) return void failed.set(key, refusalOf(reply));
      admitted.set(key, reply.body.id as string);
      if (admitted.size === endAfter) atCount();
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return { admitted, failed };
}

/** Settles with 64 in flight, each caller until its first failure, and calls `atCount` when half are settled. */
async function settleUntil(tenant: Fixture, open: readonly string[], atCount: () => void) {
  const settled: string[] = [];
  const failed = new Map<string, string>();
  const left = [...open];
  const caller = async (): Promise<void> => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      const reply = await settle(tenant, id).catch(() => null);
      if (reply?.status !== 200) return void failed.set(id, refusalOf(reply));
      if (settled.push(id) === open.length / 2) atCount();
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return { settled, failed };
}

describe("a process that ends under load", () => {
  it.each<[NodeJS.Signals, number | null]>([
    ["SIGTERM", 0],
    ["SIGKILL", null],
  ])(
    "has recorded each reservation it answered 201 to, and each other key has one effect after %s",
    async (signal, code) => {
      const tenant = await tenantWithJob(holdfast, 1_000_000);
      let ended: ReturnType<HoldfastProcess["end"]> | undefined;
      const { admitted, failed } = await loadUntil(tenant, () => void (ended = holdfast.end(signal)));
      expect((await ended)?.code).toBe(code);
      expect(admitted.size).toBeGreaterThanOrEqual(endAfter);
      expect(failed.size).toBe(callers);
      expect([...failed.values()].filter((what) => !PASSING.includes(what))).toEqual([]);
      const kept = new Set(await recorded(tenant));
      expect([...admitted.values()].filter((id) => !kept.has(id))).toEqual([]);

      holdfast = await start();
      for (const key of failed.keys()) expect([key, (await reserve(tenant, key)).status]).toEqual([key, 201]);
      for (const [key, id] of [...admitted].slice(-callers))
        expect([key, (await reserve(tenant, key)).body.id]).toEqual([key, id]);

      const total = admitted.size + failed.size;
      expect(await recorded(tenant)).toHaveLength(total);
      const { body } = await holdfast.call(tenant.key, "GET", "/v1/balances?scope=tenant");
      expect(body.data).toMatchObject([{ spent: 0, reserved: total, available: 1_000_000 - total }]);
    },
    60_000,
  );

  it.each<NodeJS.Signals>(["SIGTERM", "SIGKILL"])(
    "has recorded each settle it answered 200 to, and the others count once after %s",
    async (signal) => {
      const tenant = await tenantWithJob(holdfast, 1_000_000);
      const open = await openReservations(tenant, 1_000);
      let ended: ReturnType<HoldfastProcess["end"]> | undefined;
      const { settled, failed } = await settleUntil(tenant, open, () => void (ended = holdfast.end(signal)));
      await ended;
      expect([...failed.values()].filter((what) => !PASSING.includes(what))).toEqual([]);
      expect(failed.size).toBeGreaterThan(0);
      const kept = new Set(await recorded(tenant, "settled"));
      expect(settled.filter((id) => !kept.has(id))).toEqual([]);

      holdfast = await start();
      const again = await Promise.all(open.map((id) => settle(tenant, id)));
      expect(again.filter(({ status }) => status !== 200)).toEqual([]);
      const { body } = await holdfast.call(tenant.key, "GET", "/v1/balances?scope=tenant");
      expect(body.data).toMatchObject([{ spent: 3 * open.length, reserved: 0 }]);
    },
    60_000,
  );
});
