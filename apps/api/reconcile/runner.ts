import type { RunView, TaskName } from "#libs/reconcile";

/** Whoever can have tasks of the reconciler run now: one in this process, or any other by way of the queue. */
export abstract class ReconcileRunner {
  abstract runNow(tasks: readonly TaskName[]): Promise<readonly RunView[]>;
}
