import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { QUEUE_SCHEMA, TASKS } from "#libs/reconcile";
import type { Ledger } from "#libs/ledger";
import { freshDatabase, type FreshDatabase } from "../support/services.js";
import {
  countOf,
  end,
  givenJob,
  givenTenant,
  openLedger,
  reserveTen,
  saying,
  settingsFor,
  startInstance,
  startProgram,
  tenantFigures,
  until,
  type Instance,
} from "./reconciler-fixtures.js";

/** Twice the time after which BullMQ takes a job away from a worker that does not answer. */
const BLOCKED_MS = 10_000;

let database: FreshDatabase;
let record: pg.Pool;
let ledger: Ledger;
let instances: Instance[];

beforeEach(async () => {
  database = await freshDatabase();
  record = new pg.Pool({ connectionString: database.url, max: 4 });
  record.on("error", () => undefined);
  ledger = openLedger(settingsFor(database.url));
  instances = [];
});

afterEach(async () => {
  await Promise.all(instances.map((instance) => end(instance, "SIGKILL")));
  await ledger.close();
  await record.end();
  await database.drop();
});

async function instance(env: Readonly<Record<string, string>>): Promise<Instance> {
  const started = await startInstance(database.url, env);
  instances.push(started);
  return started;
}

/** The longest time between the ends of two sweeps that follow each other, milliseconds. */
async function longestGap(from: Date): Promise<number> {
  const { rows } = await record.query<{ gap: number }>(
    `SELECT coalesce(max(gap), 0)::float8 AS gap FROM (
       SELECT extract(epoch FROM finished_at - lag(finished_at) OVER (ORDER BY finished_at)) * 1000 AS gap
       FROM reconcile_runs WHERE task = 'expire' AND finished_at >= $1) g`,
    [from],
  );
  return rows[0]!.gap;
}

const isOver = async () => (await countOf(record, "reservations WHERE state = 'open'")) === 0;

async function fiveHundredOverdue(): Promise<string> {
  const tenantId = await givenTenant(record, { limit: 5_000 });
  const jobId = await givenJob(ledger, tenantId);
  await Promise.all(Array.from({ length: 500 }, () => reserveTen(ledger, tenantId, jobId)));
  await record.query("UPDATE reservations SET expires_at = holdfast_now() - interval '1 second'");
  return tenantId;
}

it("returns each overdue hold once although the worker that holds the job hangs in the middle of it", async () => {
  const tenantId = await fiveHundredOverdue();
  const settings = { ...settingsFor(database.url), sweepIntervalMs: 2_000, redisUrl: undefined };
  const hanging = startProgram(`
    const settings = ${JSON.stringify(settings)};
    const log = { info: () => 0, warn: () => 0, error: () => 0 };
    const ledger = Ledger.open({ ...settings, redisUrl: null, log });
    let commands = 0;
    const execute = async (command) => {
      const outcome = await ledger.execute(command);
      if (++commands === 130) {
        console.log("hangs");
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${BLOCKED_MS});
        console.log("goes on");
      }
      return outcome;
    };
    await startReconciler(settings, { ledger: { execute }, log });`);
  instances.push(hanging);
  await saying(hanging, "hangs");
  const closedBefore = await countOf(record, "reservations WHERE state = 'expired'");
  expect(closedBefore).toBeGreaterThan(0);
  expect(closedBefore).toBeLessThan(500);
  await instance({ HOLDFAST_SWEEP_INTERVAL_MS: "2000" });
  await until("the other worker has closed the rest", isOver);
  expect(hanging.output.some((line) => line.includes("goes on"))).toBe(false);
  await saying(hanging, "goes on");
  const sweeps = await countOf(record, "reconcile_runs WHERE task = 'expire'");
  await until(
    "both have swept on",
    async () => (await countOf(record, "reconcile_runs WHERE task = 'expire'")) >= sweeps + 3,
  );

  expect(await countOf(record, "ledger_entries WHERE type = 'expire'")).toBe(500);
  expect(await countOf(record, "(SELECT DISTINCT reservation_id FROM ledger_entries WHERE type = 'expire') e")).toBe(
    500,
  );
  expect(await tenantFigures(record, tenantId)).toEqual({ limit: 5_000, reserved: 0, spent: 0 });
}, 60_000);

it("keeps one schedule and no gap of three intervals while four instances crash and start and the interval changes", async () => {
  const before = { HOLDFAST_SWEEP_INTERVAL_MS: "2000", HOLDFAST_LOG_LEVEL: "silent" };
  const after = { ...before, HOLDFAST_SWEEP_INTERVAL_MS: "1000" };
  await Promise.all(Array.from({ length: 4 }, () => instance(before)));
  await until("the first sweep", async () => (await countOf(record, "reconcile_runs WHERE task = 'expire'")) > 0);
  const start = new Date();
  for (let crash = 0; crash < 10; crash += 1) {
    await end(instances[crash % 4]!, "SIGKILL");
    instances[crash % 4] = await startInstance(database.url, crash < 5 ? before : after);
    await sleep(500);
  }
  expect(await longestGap(start)).toBeLessThan(6_000);
  const settled = new Date();
  await sleep(10_000);
  const { rows } = await record.query(
    `SELECT every_ms::int FROM ${QUEUE_SCHEMA}.scheduler WHERE scheduler_id = 'expire'`,
  );
  expect(rows).toEqual([{ every_ms: 1_000 }]);
  const pending = `${QUEUE_SCHEMA}.job WHERE scheduler_id = 'expire' AND state IN ('delayed', 'waiting')`;
  await until("one job is scheduled", async () => (await countOf(record, pending)) === 1);
  expect(await longestGap(settled)).toBeLessThan(3_000);
  const sweeps = await countOf(record, "reconcile_runs WHERE task = 'expire' AND started_at >= $1", [settled]);
  expect(sweeps).toBeGreaterThanOrEqual(8);
  expect(sweeps).toBeLessThanOrEqual(12);
}, 60_000);

it("sweeps by a timer while the queue gives out no jobs", async () => {
  await instance({ HOLDFAST_SWEEP_INTERVAL_MS: "1000" });
  await until(
    "the queue sweeps",
    async () => (await countOf(record, "reconcile_runs WHERE trigger = 'schedule' AND task = 'expire'")) > 1,
  );
  await record.query(`INSERT INTO ${QUEUE_SCHEMA}.meta VALUES ('holdfast', 'paused', '1')`);
  const start = new Date();
  await sleep(1_000);
  const tenantId = await fiveHundredOverdue();
  const overdueAt = performance.now();
  await until("the holds are returned", isOver);
  expect(performance.now() - overdueAt).toBeLessThan(3_000);
  expect((await tenantFigures(record, tenantId))!.reserved).toBe(0);
  await sleep(5_000);
  expect(await countOf(record, "reconcile_runs WHERE trigger = 'timer' AND task = 'expire'")).toBeGreaterThan(2);
  expect(await longestGap(start)).toBeLessThan(3_000);
});

it("makes the queue anew where its tables are lost, and sweeps meanwhile", async () => {
  await instance({ HOLDFAST_SWEEP_INTERVAL_MS: "1000" });
  const scheduled = () => countOf(record, "reconcile_runs WHERE trigger = 'schedule' AND task = 'expire'");
  await until("the queue sweeps", async () => (await scheduled()) > 1);
  const start = new Date();
  // The queues take the same locks in another order, so that this may have to give way to them.
  const drop = () => record.query(`DROP SCHEMA ${QUEUE_SCHEMA} CASCADE`);
  await until("the tables are lost", () =>
    drop().then(
      () => true,
      () => false,
    ),
  );
  const before = await scheduled();
  await until("the queue sweeps again", async () => (await scheduled()) > before + 2);
  expect(await longestGap(start)).toBeLessThan(3_000);
  expect(await countOf(record, `${QUEUE_SCHEMA}.scheduler`)).toBe(TASKS.length);
});

it("sweeps on while another instance is stopped in the middle of its work", async () => {
  const stopped = await instance({ HOLDFAST_SWEEP_INTERVAL_MS: "1000" });
  await instance({ HOLDFAST_SWEEP_INTERVAL_MS: "1000" });
  await until("the queue sweeps", async () => (await countOf(record, "reconcile_runs WHERE task = 'expire'")) > 1);
  const start = new Date();
  stopped.child.kill("SIGSTOP");
  await sleep(4_000);
  await fiveHundredOverdue();
  await until("the holds are returned", isOver, 3_000);
  expect(await longestGap(start)).toBeLessThan(3_000);
  stopped.child.kill("SIGCONT");
});
