import { performance } from "node:perf_hooks";
import pg from "pg";
import { QUEUE_SCHEMA, requestRuns, TASKS } from "#libs/reconcile";
import type { Ledger } from "#libs/ledger";
import { startReconciler, type RunningReconciler } from "../../apps/reconciler/start.js";
import { freshDatabase, type FreshDatabase } from "../support/services.js";
import {
  countOf,
  givenJob,
  givenTenant,
  logInto,
  moveClock,
  openLedger,
  reserveTen,
  settingsFor,
  tenantFigures,
  until,
  type LogLine,
} from "./reconciler-fixtures.js";

const HOUR = 3_600_000;
/** An interval that no test lives to see: tasks run when the test says so. */
const NEVER = 2_147_483_647;

let database: FreshDatabase;
let record: pg.Pool;
let ledger: Ledger;
let reconciler: RunningReconciler;
let lines: LogLine[];

beforeEach(async () => {
  database = await freshDatabase();
  record = new pg.Pool({ connectionString: database.url, max: 4 });
  record.on("error", () => undefined);
  const settings = settingsFor(database.url, { sweepIntervalMs: NEVER, auditIntervalMs: NEVER });
  ledger = openLedger(settings);
  lines = [];
  reconciler = await startReconciler(settings, { ledger, log: logInto(lines) });
  await until(
    "the first run of each task is over",
    async () => (await countOf(record, "reconcile_runs")) === TASKS.length,
  );
});

afterEach(async () => {
  await reconciler.close();
  await ledger.close();
  await record.end();
  await database.drop();
});

async function lastRun(task: "expire" | "periods" | "retention" | "audit") {
  const runs = await reconciler.runNow([task], "manual");
  return runs.at(-1)!;
}

describe("expiry", () => {
  it("gives back what is overdue, of suspended and deleted tenants too, and leaves the rest", async () => {
    const tenants = await Promise.all([givenTenant(record), givenTenant(record), givenTenant(record)]);
    for (const tenantId of tenants) await reserveTen(ledger, tenantId, await givenJob(ledger, tenantId));
    await record.query("UPDATE tenants SET state = 'suspended' WHERE id = $1", [tenants[1]]);
    await record.query("UPDATE tenants SET state = 'deleted' WHERE id = $1", [tenants[2]]);
    expect(await lastRun("expire")).toMatchObject({ outcome: "ok", handled: 0, failed: 0 });

    await moveClock(record, 60_000);
    const fresh = await reserveTen(ledger, tenants[0], await givenJob(ledger, tenants[0]));
    const run = await lastRun("expire");
    expect(run).toMatchObject({
      task: "expire",
      trigger: "manual",
      outcome: "ok",
      handled: 3,
      failed: 0,
      detail: null,
    });
    expect(run.id).toMatch(/^run_[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(Date.parse(run.finishedAt)).toBeGreaterThanOrEqual(Date.parse(run.startedAt));
    for (const tenantId of tenants) {
      expect((await tenantFigures(record, tenantId))!.reserved).toBe(tenantId === tenants[0] ? 10 : 0);
    }
    expect(await countOf(record, "reservations WHERE state = 'open' AND id = $1", [fresh])).toBe(1);
  });

  it("closes the other 499 although one reservation cannot be closed, and names it", async () => {
    const tenantId = await givenTenant(record);
    const jobs = await Promise.all([givenJob(ledger, tenantId), givenJob(ledger, tenantId)]);
    const ids = await Promise.all(
      Array.from({ length: 500 }, (_, i) => reserveTen(ledger, tenantId, jobs[i === 250 ? 1 : 0])),
    );
    await record.query("DELETE FROM balances WHERE kind = 'job' AND scope_id = $1", [jobs[1]]);
    await moveClock(record, 60_000);

    const run = await lastRun("expire");
    expect(run).toMatchObject({ outcome: "partial", handled: 499, failed: 1 });
    expect(run.detail).toMatchObject({ failures: [{ tenantId, reservationId: ids[250] }] });
    expect(lines.filter(({ level }) => level === "error")).toMatchObject([
      { fields: { tenantId, reservationId: ids[250] } },
    ]);
    expect(await countOf(record, "ledger_entries WHERE type = 'expire'")).toBe(499);
    expect(await tenantFigures(record, tenantId)).toMatchObject({ reserved: 10, spent: 0 });
  });

  it("pages through more than fits one page, and finds them by the index of open reservations", async () => {
    const tenantId = await givenTenant(record);
    const jobId = await givenJob(ledger, tenantId);
    await Promise.all(Array.from({ length: 1_203 }, () => reserveTen(ledger, tenantId, jobId)));
    // At three deadlines: pages must not skip or repeat rows of the same instant.
    await record.query("UPDATE reservations SET expires_at = holdfast_now() - (1 + seq % 3) * interval '1 second'");
    expect(await lastRun("expire")).toMatchObject({ handled: 1_203, failed: 0 });
    expect(await countOf(record, "ledger_entries WHERE type = 'expire'")).toBe(1_203);
    expect((await tenantFigures(record, tenantId))!.reserved).toBe(0);
  });
});

describe("periods", () => {
  it("opens a window that has begun at exactly its limit, once, and leaves the old one as it was", async () => {
    const tenantId = await givenTenant(record, { limit: 500, period: "day" });
    await reserveTen(ledger, tenantId, await givenJob(ledger, tenantId));
    expect(await lastRun("periods")).toMatchObject({ handled: 0 });
    await moveClock(record, 24 * HOUR);
    expect(await lastRun("periods")).toMatchObject({ outcome: "ok", handled: 1, failed: 0 });
    expect(await lastRun("periods")).toMatchObject({ handled: 0 });
    const { rows } = await record.query(
      `SELECT limit_amount::int AS limit, reserved::int, spent::int FROM balances WHERE kind = 'tenant' ORDER BY "window"`,
    );
    expect(rows).toEqual([
      { limit: 500, reserved: 10, spent: 0 },
      { limit: 500, reserved: 0, spent: 0 },
    ]);
  });
});

describe("retention", () => {
  it("drops idempotency keys after their time, empty runs after a day and others after thirty, and nothing else", async () => {
    const key = (age: string) => `('ten_1', '${age}', 'f', '{}', holdfast_now() - interval '${age}')`;
    await record.query(`INSERT INTO idempotency_keys VALUES ${key("49 hours")}, ${key("47 hours")}`);
    const run = (id: string, age: string, handled: number) =>
      `('${id}', 'expire', 'schedule', holdfast_now(), holdfast_now() - interval '${age}', 'ok', ${handled}, 0)`;
    await record.query(
      `INSERT INTO reconcile_runs (id, task, trigger, started_at, finished_at, outcome, handled, failed) VALUES
       ${run("old-empty", "25 hours", 0)}, ${run("new-empty", "23 hours", 0)}, ${run("old", "31 days", 1)}, ${run("new", "29 days", 1)}`,
    );
    expect(await lastRun("retention")).toMatchObject({
      outcome: "ok",
      handled: 3,
      detail: { idempotencyKeys: 1, runs: 2, deliveries: 0 },
    });
    const { rows } = await record.query("SELECT key FROM idempotency_keys");
    expect(rows).toEqual([{ key: "47 hours" }]);
    const left = await record.query("SELECT id FROM reconcile_runs WHERE id NOT LIKE 'run_%' ORDER BY id");
    expect(left.rows).toEqual([{ id: "new" }, { id: "new-empty" }]);
  });

  it("drops deliveries of webhooks after thirty days, and none that is pending", async () => {
    const delivery = (state: string, age: string) =>
      `('ten_1', '${state} ${age}', 'a', 'evt_a', 'webhook.ping', '{}', '${state}', holdfast_now(), holdfast_now() - interval '${age}')`;
    const rows = ["delivered", "failed", "pending"].flatMap((state) => [
      delivery(state, "29 days"),
      delivery(state, "31 days"),
    ]);
    await record.query(
      `INSERT INTO webhook_deliveries (tenant_id, id, webhook, event_id, type, body, state, look_at, created_at)
       VALUES ${rows.join()}`,
    );
    expect(await lastRun("retention")).toMatchObject({ handled: 2, detail: { deliveries: 2 } });
    expect(await countOf(record, "webhook_deliveries WHERE id LIKE '% 31 days'")).toBe(1);
    expect(await countOf(record, "webhook_deliveries")).toBe(4);
  });

  it("drops more keys than one portion holds", async () => {
    await record.query(
      "INSERT INTO idempotency_keys SELECT 'ten_1', n::text, 'f', '{}', holdfast_now() - interval '3 days' FROM generate_series(1, 12000) n",
    );
    expect(await lastRun("retention")).toMatchObject({ detail: { idempotencyKeys: 12_000 } });
    expect(await countOf(record, "idempotency_keys")).toBe(0);
  });
});

describe("audit", () => {
  it("finds nothing where work was reserved, settled, released, overspent and expired", async () => {
    const tenantId = await givenTenant(record);
    const jobId = await givenJob(ledger, tenantId);
    const [settled, released, over] = await Promise.all(
      Array.from({ length: 5 }, () => reserveTen(ledger, tenantId, jobId)),
    );
    await ledger.execute({ type: "settle", tenantId, reservationId: settled!, actual: { tokens: 4 } });
    await ledger.execute({ type: "release", tenantId, reservationId: released! });
    await ledger.execute({ type: "settle", tenantId, reservationId: over!, actual: { tokens: 40 } });
    await moveClock(record, 60_000);
    await lastRun("expire");
    await reserveTen(ledger, tenantId, jobId);
    const run = await lastRun("audit");
    expect(run).toMatchObject({
      outcome: "ok",
      handled: 2,
      failed: 0,
      detail: { tenants: 1, differences: 0, findings: [] },
    });
  });

  it("reports each figure that does not follow from the ledger or from what is open, and changes no money", async () => {
    const tenantId = await givenTenant(record);
    const jobId = await givenJob(ledger, tenantId);
    await reserveTen(ledger, tenantId, jobId);
    await record.query("UPDATE balances SET spent = spent + 7 WHERE kind = 'tenant'");
    await record.query("DELETE FROM balances WHERE kind = 'job'");
    const before = await tenantFigures(record, tenantId);
    const [jobKey, tenantKey] = [`job:${jobId}:tokens:none`, `tenant:${tenantId}:tokens:none`];
    const findings = [
      { tenantId, key: jobKey, check: "held", expected: 10, found: 0 },
      { tenantId, key: jobKey, check: "reserved", expected: 10, found: 0 },
      { tenantId, key: tenantKey, check: "spent", expected: 0, found: 7 },
    ];
    const run = await lastRun("audit");
    expect(run).toMatchObject({ outcome: "partial", failed: 3, detail: { differences: 3, findings } });
    expect(lines[0]).toMatchObject({
      level: "error",
      message: "the audit found differences",
      fields: { tenantId, differences: 3 },
    });
    expect(await tenantFigures(record, tenantId)).toEqual(before);
  });

  it("lists at most a thousand findings and counts them all", async () => {
    await givenTenant(record);
    await record.query(
      `INSERT INTO balances SELECT t.id, 'job:' || n || ':tokens:none', 'job', n::text, 'tokens', 'none', NULL, 0, 1, 1
       FROM tenants t, generate_series(1, 1100) n`,
    );
    const run = await lastRun("audit");
    expect(run).toMatchObject({ failed: 1_100, detail: { differences: 1_100 } });
    expect((run.detail as { findings: unknown[] }).findings).toHaveLength(1_000);
  });
});

describe("audit of the copies", () => {
  const auditWith = async (auditCopies: () => Promise<object>) => {
    await givenTenant(record);
    Object.assign(ledger, { auditCopies });
    return lastRun("audit");
  };

  it("lists the copies that were repaired, and counts them as no failure", async () => {
    const key = "tenant:a:tokens:none";
    const run = await auditWith(() => Promise.resolve({ checked: 3, repaired: [{ key, expected: "1", found: "2" }] }));
    expect(run).toMatchObject({
      outcome: "ok",
      failed: 0,
      detail: { copiesChecked: 3, copiesRepaired: 1, repairs: [{ key }] },
    });
    expect(lines).toMatchObject([{ level: "error", message: "the audit repaired wrong copies" }]);
  });

  it("goes on without them where they cannot be reached, and says so in the run", async () => {
    const run = await auditWith(() => Promise.reject(new Error("Redis is away")));
    expect(run).toMatchObject({ outcome: "ok", detail: { tenants: 1, copiesError: "Redis is away" } });
  });
});

describe("running by hand", () => {
  it("runs for a process without a reconciler, over the queue, and gives it the run", async () => {
    const runs = await requestRuns(database.url, ["expire", "audit"]);
    expect(runs).toMatchObject([
      { task: "expire", trigger: "manual", outcome: "ok" },
      { task: "audit", trigger: "manual", outcome: "ok" },
    ]);
    expect(await countOf(record, "reconcile_runs WHERE id = ANY($1)", [runs.map(({ id }) => id)])).toBe(2);
  });

  it("gives nothing and leaves no job behind where no reconciler is there", async () => {
    await reconciler.close();
    expect(await requestRuns(database.url, ["expire"], 300)).toEqual([]);
    expect(await countOf(record, `${QUEUE_SCHEMA}.job WHERE scheduler_id IS NULL AND state <> 'completed'`)).toBe(0);
  });

  it("runs a task that runs alone nowhere twice at once, and lets nobody keep the sweep from running", async () => {
    const other = await record.connect();
    await other.query("SELECT pg_advisory_lock(('x484f4c44')::bit(32)::int, n) FROM generate_series(0, 3) n");
    const runs = await reconciler.runNow(["expire", "periods", "retention", "audit"]);
    expect(runs.map(({ task }) => task)).toEqual(["expire"]);
    other.release(true);
    await until("the lock is free", async () => (await reconciler.runNow(["audit"])).length === 1);
  });

  it("is stopped at once although a comparison is waiting, and the run that was cut is written down", async () => {
    const other = await record.connect();
    await other.query("BEGIN; LOCK TABLE balances IN ACCESS EXCLUSIVE MODE");
    await givenTenant(record);
    const audit = reconciler.runNow(["audit"]);
    await until(
      "the audit waits",
      async () => (await countOf(record, "pg_stat_activity WHERE wait_event_type = 'Lock'")) > 0,
    );
    const start = performance.now();
    await reconciler.close();
    expect(performance.now() - start).toBeLessThan(2_000);
    expect(await audit).toMatchObject([{ task: "audit", outcome: "partial", handled: 0 }]);
    other.release(true);
  });
});
