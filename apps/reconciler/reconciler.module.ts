import { Module, type DynamicModule } from "@nestjs/common";
import pg from "pg";
import type { RunSettings } from "#libs/config";
import { Ledger, type LedgerLog } from "#libs/ledger";
import { TASKS, type TaskName } from "#libs/reconcile";
import { takeLease } from "./lease.js";
import { Troubles } from "./log.js";
import { QueueLink } from "./queue-link.js";
import { Reconciler } from "./reconciler.js";
import { Runner } from "./runner.js";
import { Runs } from "./runs.js";
import type { Task } from "./task.js";
import { Audit, type CopyAuditor } from "./tasks/audit.js";
import { History } from "./tasks/history.js";
import { Notify } from "./tasks/notify.js";
import { Expire, overdueIn, type Executor } from "./tasks/expire.js";
import { Periods } from "./tasks/periods.js";
import { Retention } from "./tasks/retention.js";
import { Statistics } from "./tasks/statistics.js";
import { Watch } from "./watch.js";
import { ServiceStates, Breakers } from "./webhooks/breakers.js";
import { Deliver } from "./webhooks/deliver.js";
import { DeliveryLink } from "./webhooks/delivery-link.js";
import { Denials } from "./webhooks/denials.js";
import { Drift } from "./webhooks/drift.js";
import { orderDue } from "./webhooks/outbox.js";
import { Thresholds } from "./webhooks/thresholds.js";

export type LedgerPort = Executor & CopyAuditor;

export interface Parts {
  readonly settings: RunSettings;
  /** The ledger of this process, where it has one already; it is not closed with the reconciler. */
  readonly ledger: LedgerPort | undefined;
  readonly log: LedgerLog;
}

@Module({})
export class ReconcilerModule {
  static of(parts: Parts): DynamicModule {
    return { module: ReconcilerModule, providers: [{ provide: Reconciler, useFactory: () => assemble(parts) }] };
  }
}

function assemble({ settings, ledger: shared, log }: Parts): Reconciler {
  const { databaseUrl } = settings;
  const troubles = new Troubles(log);
  const pool = poolOf(databaseUrl, troubles);
  const own = shared ? undefined : openLedger(settings, log);
  const states = settings.redisUrl === undefined ? null : new ServiceStates(settings.redisUrl);
  const webhooks = webhooksOf(settings, pool, states, { log, troubles });
  const others = tasksOf(settings, pool, shared ?? own!, log);
  const tasks = { ...others, notify: webhooks.task, history: new History(pool, states) };
  const list = TASKS.map((name) => tasks[name]);

  const runs = new Runs(pool);
  const runner = new Runner(tasks, runs, (task) => takeLease(databaseUrl, task));
  const link = new QueueLink(
    databaseUrl,
    list,
    async ({ name, data }) => void (await runner.run(name, data.trigger, data.runId)),
    troubles,
  );
  const watch = new Watch(list, runner, runs, (task) => link.schedule(task), troubles);
  return new Reconciler(runner, link, watch, async () => {
    await webhooks.link.close();
    states?.close();
    await pool.end();
    await own?.close();
  });
}

type OtherTasks = Record<Exclude<TaskName, "notify" | "history">, Task>;

function tasksOf(settings: RunSettings, pool: pg.Pool, ledger: LedgerPort, log: LedgerLog): OtherTasks {
  return {
    expire: new Expire(overdueIn(pool), ledger, log, settings.sweepIntervalMs),
    periods: new Periods(pool, ledger),
    retention: new Retention(pool, settings),
    audit: new Audit(pool, ledger, log, settings.auditIntervalMs),
    statistics: new Statistics(pool, settings.sweepIntervalMs),
  };
}

function webhooksOf(
  settings: RunSettings,
  pool: pg.Pool,
  states: ServiceStates | null,
  { log, troubles }: { readonly log: LedgerLog; readonly troubles: Troubles },
) {
  const { databaseUrl, webhookRetryMs: retryMs, webhookTimeoutMs: timeoutMs } = settings;
  const rules = { addresses: settings.webhookAddresses, http: settings.webhookHttp };
  const link = new DeliveryLink(databaseUrl, retryMs, new Deliver(pool, log, { rules, timeoutMs, retryMs }), troubles);
  const looks = [
    new Thresholds(pool),
    new Denials(pool, settings.webhookDenialIntervalMs),
    new Drift(pool),
    ...(states ? [new Breakers(pool, states)] : []),
  ];
  const task = new Notify(looks, () => orderDue(pool, link), settings.webhookIntervalMs);
  return { link, task };
}

/** Few connections: a task asks for one thing at a time, and a delivery asks before and after it is sent. */
function poolOf(databaseUrl: string, troubles: Troubles): pg.Pool {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: TASKS.length + 2,
    connectionTimeoutMillis: 3_000,
    query_timeout: 30_000,
    keepAlive: true,
    application_name: "holdfast-reconciler",
  });
  pool.on("error", (error) => troubles.report("a connection to the record was lost", error));
  // A connection that breaks while a task has it: the task gets the error of its statement.
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

function openLedger({ databaseUrl, redisUrl, redisTimeoutMs, commitTimeoutMs }: RunSettings, log: LedgerLog): Ledger {
  return Ledger.open({ databaseUrl, redisUrl: redisUrl ?? null, redisTimeoutMs, commitTimeoutMs, log });
}
