import { performance } from "node:perf_hooks";
import { newId } from "#libs/ledger";
import type { RunView, TaskName, Trigger } from "#libs/reconcile";
import type { Lease } from "./lease.js";
import { messageOf } from "./log.js";
import type { Runs } from "./runs.js";
import type { Tally, Task } from "./task.js";

export type TakeLease = (task: TaskName) => Promise<Lease | null>;

/** Runs tasks, one run of each at a time in this process, and writes down every run. */
export class Runner {
  private readonly atWork = new Map<TaskName, Promise<unknown>>();
  private readonly finishes = new Map<TaskName, number>();
  private readonly stopping = new AbortController();

  constructor(
    private readonly tasks: Readonly<Record<TaskName, Task>>,
    private readonly runs: Runs,
    private readonly takeLease: TakeLease,
  ) {}

  /**
   * Runs a task and returns its runs: none where the task is at work already, here or (for a task that runs alone)
   * elsewhere; several where it was cut. What was asked for by hand waits its turn here, so that it sees what is now.
   * @throws where the run could not be written down: the record is away.
   */
  async run(name: TaskName, trigger: Trigger, runId?: string): Promise<RunView[]> {
    const current = this.atWork.get(name);
    if (current && trigger !== "manual") return [];
    const work = (current ?? Promise.resolve()).then(() => this.runHere(this.tasks[name], trigger, runId));
    const over = work.then(
      () => undefined,
      () => undefined,
    );
    this.atWork.set(name, over);
    void over.then(() => this.atWork.get(name) === over && this.atWork.delete(name));
    return work;
  }

  isAtWork(name: TaskName): boolean {
    return this.atWork.has(name);
  }

  /** Monotonic time of the last finish in this process; -Infinity where there was none. */
  lastFinish(name: TaskName): number {
    return this.finishes.get(name) ?? -Infinity;
  }

  /** Cuts what is at work, waits for it, and runs nothing any more. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.atWork.values());
  }

  private async runHere(task: Task, trigger: Trigger, runId = newId("run")): Promise<RunView[]> {
    const lease = task.alone && !this.stopping.signal.aborted ? await this.takeLease(task.name) : undefined;
    if (lease === null) return [];
    try {
      const views: RunView[] = [];
      let more = true;
      for (let id = runId; more && !this.stopping.signal.aborted; id = newId("run")) {
        const startedAt = await this.runs.now();
        const { tally, failure, goesOn } = await this.attempt(task);
        const isWhole = tally.failed === 0 && !this.stopping.signal.aborted;
        const outcome = failure !== null ? "failed" : isWhole ? "ok" : "partial";
        const detail = failure !== null ? { ...tally.detail, error: failure } : tally.detail;
        const { handled, failed } = tally;
        views.push(await this.runs.add({ id, task: task.name, trigger, outcome, handled, failed, detail }, startedAt));
        this.finishes.set(task.name, performance.now());
        more = goesOn;
      }
      return views;
    } finally {
      await lease?.release();
    }
  }

  private async attempt(task: Task): Promise<{ tally: Tally; failure: string | null; goesOn: boolean }> {
    const tally: Tally = { handled: 0, failed: 0, detail: null };
    try {
      const end = await task.run(tally, this.stopping.signal);
      return { tally, failure: null, goesOn: end === "more" };
    } catch (error) {
      return { tally, failure: messageOf(error), goesOn: false };
    }
  }
}
