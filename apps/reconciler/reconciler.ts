import type { BeforeApplicationShutdown, OnApplicationBootstrap } from "@nestjs/common";
import type { RunView, TaskName, Trigger } from "#libs/reconcile";
import type { Runner } from "./runner.js";
import type { Watch } from "./watch.js";

/** What takes jobs from a queue. */
export interface Link {
  start(): void;
  close(): Promise<void>;
}

/** The reconciler of this process: jobs from the queue, timers where the queue fails, runs by hand. */
export class Reconciler implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(
    private readonly runner: Runner,
    private readonly links: readonly Link[],
    private readonly watch: Watch,
    private readonly closeConnections: () => Promise<void>,
  ) {}

  onApplicationBootstrap(): void {
    for (const link of this.links) link.start();
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
    await Promise.all(this.links.map((link) => link.close()));
    await this.closeConnections();
  }
}
