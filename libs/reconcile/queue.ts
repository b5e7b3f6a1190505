import {
  createPostgresBackend,
  DEFAULT_SCHEMA,
  runMigrations,
  withBackend,
  type PostgresConnectionOptions,
  type Processor,
} from "bullmq";
import pg from "pg";
import type { TaskName, Trigger } from "./runs.js";

const QUEUE = "holdfast";
/** BullMQ's own tables, beside those of the record. */
export const QUEUE_SCHEMA = DEFAULT_SCHEMA;

/** The lock of a job is renewed twice within this time; a process that hangs for longer loses it to another one. */
export const LOCK_MS = 5_000;
/** More jobs than there are tasks, so that those which wait for their turn never keep the sweep waiting. */
const CONCURRENCY = 8;
/** Finished jobs that are kept; the history of runs is in the record. */
const KEPT = { count: 20 };

/** What a job asks for; its name is the task. */
export interface RunOrder {
  readonly trigger: Trigger;
  /** The id that the run shall have, where somebody waits for it. */
  readonly runId?: string;
}

export const { Queue, Worker } = withBackend(createPostgresBackend);

export type TaskQueue = InstanceType<typeof Queue<RunOrder, void, TaskName>>;
export type TaskWorker = InstanceType<typeof Worker<RunOrder, void, TaskName>>;
export type TaskJob = Parameters<Processor<RunOrder, void, TaskName>>[0];

/**
 * Connections for BullMQ alone: it never waits for the ledger's, nor the ledger for its. They are not left to BullMQ to
 * make, since one that breaks while BullMQ closes it would end the process by an event that nobody listens to.
 */
export function openQueuePool(databaseUrl: string): pg.Pool {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    options: `-c search_path=${QUEUE_SCHEMA},public`,
    max: 4,
    keepAlive: true,
    connectionTimeoutMillis: 3_000,
    query_timeout: 10_000,
    application_name: "holdfast-queue",
  });
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

/** Makes or updates BullMQ's tables; processes that start together wait for each other. */
export async function migrateQueue(pool: pg.Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await runMigrations(client);
  } finally {
    client.release();
  }
}

export function openQueue(pool: pg.Pool): TaskQueue {
  return new Queue<RunOrder, void, TaskName>(QUEUE, {
    connection: connectionOf(pool),
    defaultJobOptions: { removeOnComplete: KEPT, removeOnFail: KEPT },
    streams: { events: { maxLen: 500 } },
  });
}

export function openWorker(pool: pg.Pool, process: (job: TaskJob) => Promise<void>): TaskWorker {
  return new Worker<RunOrder, void, TaskName>(QUEUE, process, {
    connection: connectionOf(pool),
    concurrency: CONCURRENCY,
    lockDuration: LOCK_MS,
    stalledInterval: LOCK_MS,
    runRetryDelay: 1_000,
    removeOnComplete: KEPT,
    removeOnFail: KEPT,
  });
}

/** BullMQ describes a pool by an interface of its own, which the driver's type misses in name only. */
export function connectionOf(pool: pg.Pool): PostgresConnectionOptions {
  return pool as unknown as PostgresConnectionOptions;
}
