import { createPostgresBackend, withBackend, type Processor } from "bullmq";
import type { TaskName, Trigger } from "./runs.js";

const QUEUE = "holdfast";
/** BullMQ's own tables, beside those of the record. */
export const QUEUE_SCHEMA = "holdfast_queue";

/** The lock of a job is renewed twice within this time; a process that hangs for longer loses it to another one. */
const LOCK_MS = 5_000;
/** More jobs than there are tasks, so that those which wait for their turn never keep the sweep waiting. */
const CONCURRENCY = 8;

/** What a job asks for; its name is the task. */
export interface RunOrder {
  readonly trigger: Trigger;
  /** The id that the run shall have, where somebody waits for it. */
  readonly runId?: string;
}

const { Queue, Worker } = withBackend(createPostgresBackend);

export type TaskQueue = InstanceType<typeof Queue<RunOrder, void, TaskName>>;
export type TaskWorker = InstanceType<typeof Worker<RunOrder, void, TaskName>>;
export type TaskJob = Parameters<Processor<RunOrder, void, TaskName>>[0];

/** A connection pool of its own: BullMQ never waits for the ledger's connections, nor the ledger for BullMQ's. */
function connectionOf(databaseUrl: string, max: number) {
  return {
    connectionString: databaseUrl,
    schema: QUEUE_SCHEMA,
    migrate: true,
    max,
    keepAlive: true,
    connectionTimeoutMillis: 3_000,
    query_timeout: 10_000,
  };
}

export function openQueue(databaseUrl: string): TaskQueue {
  return new Queue<RunOrder, void, TaskName>(QUEUE, {
    connection: connectionOf(databaseUrl, 1),
    defaultJobOptions: { removeOnComplete: { count: 20 }, removeOnFail: { count: 20 } },
    streams: { events: { maxLen: 500 } },
  });
}

export function openWorker(databaseUrl: string, process: (job: TaskJob) => Promise<void>): TaskWorker {
  return new Worker<RunOrder, void, TaskName>(QUEUE, process, {
    connection: connectionOf(databaseUrl, 2),
    concurrency: CONCURRENCY,
    lockDuration: LOCK_MS,
    stalledInterval: LOCK_MS,
    runRetryDelay: 1_000,
    removeOnComplete: { count: 20 },
    removeOnFail: { count: 20 },
  });
}
