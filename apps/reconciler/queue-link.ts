import { setTimeout as sleep } from "node:timers/promises";
import {
  migrateQueue,
  openQueue,
  openQueuePool,
  openWorker,
  type TaskJob,
  type TaskQueue,
  type TaskWorker,
} from "#libs/reconcile";
import type { Troubles } from "./log.js";
import type { Task } from "./task.js";

const RETRY_MS = 2_000;
/** Longest wait for the queue to close; what is left then ends with the process. */
const CLOSE_MS = 5_000;

/**
 * Keeps the schedule in BullMQ and takes its jobs. A queue or worker that reports any trouble is thrown away whole and
 * made anew: after a lost connection BullMQ may hang on what it had, and no job of it is ever the only chance of a run.
 */
export class QueueLink {
  private readonly stopping = new AbortController();
  private keeping: Promise<void> = Promise.resolve();
  private queue: TaskQueue | undefined;

  constructor(
    private readonly databaseUrl: string,
    private readonly tasks: readonly Task[],
    private readonly process: (job: TaskJob) => Promise<void>,
    private readonly troubles: Troubles,
  ) {}

  start(): void {
    this.keeping = this.keep();
  }

  /** Sets the one schedule of a task, whether there is none, another or the same. Does nothing while the queue is away. */
  async schedule({ name, everyMs }: Task): Promise<void> {
    await this.queue?.upsertJobScheduler(name, { every: everyMs }, { name, data: { trigger: "schedule" } });
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
        this.troubles.report("the queue is away: timers run the tasks meanwhile", error);
        await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** Works the queue until the stop; throws at the first trouble. */
  private async live(signal: AbortSignal): Promise<void> {
    const pool = openQueuePool(this.databaseUrl);
    try {
      await migrateQueue(pool);
      await this.work(openQueue(pool), openWorker(pool, this.process), signal);
    } finally {
      await within(CLOSE_MS, pool.end());
    }
  }

  private async work(queue: TaskQueue, worker: TaskWorker, signal: AbortSignal): Promise<void> {
    const trouble = new Promise<never>((_, reject) => {
      queue.on("error", reject);
      worker.on("error", reject);
    });
    trouble.catch(() => undefined);
    worker.on("failed", (_job, error) => this.troubles.report("a run failed", error));
    try {
      this.queue = queue;
      for (const task of this.tasks) await Promise.race([trouble, this.schedule(task)]);
      await Promise.race([trouble, aborted(signal)]);
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

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
