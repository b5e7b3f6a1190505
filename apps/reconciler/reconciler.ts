import type { BeforeApplicationShutdown, OnApplicationBootstrap } from "@nestjs/common";
import type { RunView, TaskName, Trigger } from "#libs/reconcile";
import type { QueueLink } from "./queue-link.js";
import type { Runner } from "./runner.js";
import type { Watch } from "./watch.js";

/** The reconciler of this process: jobs from the queue, timers where the queue fails, runs by hand. */
export class Reconciler implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(
    private readonly runner: Runner,
    private readonly link: QueueLink,
    private readonly watch: Watch,
    private readonly closeConnections: () => Promise<void>,
  ) {}

  onApplicationBootstrap(): void {
    this.link.start();
    this.watch.start();
  }

  /** Runs the tasks in this process now, one after another. A task that another process has at work gives no run. */
  async runNow(tasks: readonly TaskName[], trigger: Trigger = "manual"): Promise<RunView[]> {
    const views: RunView[] = [];
    for (const task of tasks) views.push(...(await this.runner.run(task, trigger)));
    return views;
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.watch.stop();
    await this.runner.stop();
    await this.link.close();
    await this.closeConnections();
  }
}
