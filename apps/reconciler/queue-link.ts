import { openQueue, openWorker, type TaskJob, type TaskQueue } from "#libs/reconcile";
import type { Troubles } from "./log.js";
import { QueueKeeper } from "./queue-keeper.js";
import type { Task } from "./task.js";

/** Keeps the schedule of the tasks in BullMQ and takes its jobs. */
export class QueueLink {
  private readonly keeper: QueueKeeper<TaskQueue>;

  constructor(
    databaseUrl: string,
    tasks: readonly Task[],
    process: (job: TaskJob) => Promise<void>,
    troubles: Troubles,
  ) {
    this.keeper = new QueueKeeper({
      databaseUrl,
      open: (pool) => {
        const worker = openWorker(pool, process);
        worker.on("failed", (_job, error) => troubles.report("a run failed", error));
        return { queue: openQueue(pool), worker };
      },
      begin: async () => {
        for (const task of tasks) await this.schedule(task);
      },
      troubles,
      away: "the queue is away: timers run the tasks meanwhile",
    });
  }

  start(): void {
    this.keeper.start();
  }

  /** Sets the one schedule of a task, whether there is none, another or the same. Does nothing while the queue is away. */
  async schedule({ name, everyMs }: Task): Promise<void> {
    await this.keeper.current?.upsertJobScheduler(name, { every: everyMs }, { name, data: { trigger: "schedule" } });
  }

  close(): Promise<void> {
    return this.keeper.close();
  }
}
