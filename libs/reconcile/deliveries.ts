import { DelayedError, type Processor } from "bullmq";
import type pg from "pg";
import { connectionOf, LOCK_MS, Queue, Worker } from "./queue.js";

const QUEUE = "holdfast-webhooks";
/** Deliveries that one process sends at once; each waits for a receiver most of the time. */
const CONCURRENCY = 64;
/** Of each pause so much is left to chance, so that what failed together does not come back together. */
const JITTER = 0.2;
/** How often a delivery is tried; with pauses that begin at 5 s and double, over two days. */
export const MOST_ATTEMPTS = 16;

/** Which delivery to send; what is sent, and whether it still shall be, stands in the record. */
export interface DeliveryOrder {
  readonly tenantId: string;
  readonly id: string;
  /** One that was sent again since is no longer this order's. */
  readonly round: number;
}

export type DeliveryQueue = InstanceType<typeof Queue<DeliveryOrder, void, "deliver">>;
export type DeliveryWorker = InstanceType<typeof Worker<DeliveryOrder, void, "deliver">>;
export type DeliveryJob = Parameters<Processor<DeliveryOrder, void, "deliver">>[0];

/** `retryMs`: the first pause between two attempts; each further one is twice as long. What has ended leaves no job behind. */
export function openDeliveryQueue(pool: pg.Pool, retryMs: number): DeliveryQueue {
  return new Queue<DeliveryOrder, void, "deliver">(QUEUE, {
    connection: connectionOf(pool),
    defaultJobOptions: {
      attempts: MOST_ATTEMPTS,
      backoff: { type: "exponential", delay: retryMs, jitter: JITTER },
      removeOnComplete: true,
      removeOnFail: true,
    },
    streams: { events: { maxLen: 500 } },
  });
}

export function openDeliveryWorker(
  pool: pg.Pool,
  deliver: (job: DeliveryJob, token: string | undefined) => Promise<void>,
): DeliveryWorker {
  return new Worker<DeliveryOrder, void, "deliver">(QUEUE, deliver, {
    connection: connectionOf(pool),
    concurrency: CONCURRENCY,
    lockDuration: LOCK_MS,
    stalledInterval: LOCK_MS,
    runRetryDelay: 1_000,
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
  });
}

/** Puts a job that is at work back into the queue for so many milliseconds; that is no attempt. Throws, always. */
export async function putBack(job: DeliveryJob, token: string | undefined, forMs: number): Promise<never> {
  await job.moveToDelayed(Date.now() + forMs, token);
  throw new DelayedError();
}
