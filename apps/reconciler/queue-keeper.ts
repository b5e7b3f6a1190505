import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { migrateQueue, openQueuePool } from "#libs/reconcile";
import type { Troubles } from "./log.js";
import { orStopped } from "./or-stopped.js";

const RETRY_MS = 2_000;
/** Longest wait for the queue to close; what is left then ends with the process. */
const CLOSE_MS = 5_000;

interface QueueLike {
  on(event: "error", listener: (error: Error) => void): unknown;
  close(): Promise<void>;
}

interface WorkerLike {
  on(event: "error", listener: (error: Error) => void): unknown;
  close(force?: boolean): Promise<void>;
}

export interface Keeping<Q> {
  readonly databaseUrl: string;
  readonly open: (pool: pg.Pool) => { readonly queue: Q; readonly worker: WorkerLike };
  /** Called with each new queue, before anything else is done with it. */
  readonly begin: (queue: Q) => Promise<void>;
  readonly troubles: Troubles;
  /** What to say where it is away. */
  readonly away: string;
}

/**
 * Keeps a queue of BullMQ and its worker. Those that report any trouble are thrown away whole and made anew: after a lost
 * connection BullMQ may hang on what it had, and no job is ever the only chance of what it is for.
 */
export class QueueKeeper<Q extends QueueLike> {
  private readonly stopping = new AbortController();
  private keeping: Promise<void> = Promise.resolve();
  private queue: Q | undefined;

  constructor(private readonly parts: Keeping<Q>) {}

  /** Undefined while the queue is away. */
  get current(): Q | undefined {
    return this.queue;
  }

  start(): void {
    this.keeping = this.keep();
  }

  async close(): Promise<void> {
    this.stopping.abort();
    await this.keeping;
  }

  private async keep(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        await this.live(signal);
      } catch (error) {
        this.parts.troubles.report(this.parts.away, error);
        await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** Works the queue until the stop; throws at the first trouble. */
  private async live(signal: AbortSignal): Promise<void> {
    const pool = openQueuePool(this.parts.databaseUrl);
    try {
      await migrateQueue(pool);
      await this.work(pool, signal);
    } finally {
      await within(CLOSE_MS, pool.end());
    }
  }

  private async work(pool: pg.Pool, signal: AbortSignal): Promise<void> {
    const { queue, worker } = this.parts.open(pool);
    const trouble = new Promise<never>((_, reject) => {
      queue.on("error", reject);
      worker.on("error", reject);
    });
    trouble.catch(() => undefined);
    try {
      this.queue = queue;
      await Promise.race([trouble, this.parts.begin(queue)]);
      await orStopped(trouble, signal);
    } finally {
      this.queue = undefined;
      await within(CLOSE_MS, Promise.allSettled([worker.close(!signal.aborted), queue.close()]));
    }
  }
}

/** Waits for it, but not for longer than that. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  await Promise.race([work.catch(() => undefined), sleep(ms, undefined, { ref: false })]);
}
