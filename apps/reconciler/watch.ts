import { performance } from "node:perf_hooks";
import type { Troubles } from "./log.js";
import type { Runner } from "./runner.js";
import type { Runs } from "./runs.js";
import type { Task } from "./task.js";

/** A schedule has failed where no run has finished for so many intervals. */
const LATE_INTERVALS = 2;
/** What is due and cannot run yet, since another process has it at work, is tried again after this time. */
const SHORTEST_PAUSE_MS = 1_000;
/** Node fires timers longer than this at once. */
const LONGEST_TIMER_MS = 2_147_483_647;

/**
 * Looks by plain timers whether tasks run as they should, and runs those that do not: a dead queue cannot stop expiry.
 * What it knows of other processes it reads in the record, and only when this process has not run the task lately.
 */
export class Watch {
  private readonly timers = new Map<Task, NodeJS.Timeout>();
  /** Monotonic times until which the record showed a task to be on time. */
  private readonly onTimeUntil = new Map<Task, number>();
  private stopped = false;

  constructor(
    private readonly tasks: readonly Task[],
    private readonly runner: Runner,
    private readonly runs: Runs,
    /** Called for a task that was late: its schedule may be lost. */
    private readonly reschedule: (task: Task) => Promise<void>,
    private readonly troubles: Troubles,
  ) {}

  start(): void {
    for (const task of this.tasks) this.lookLater(task);
  }

  stop(): void {
    this.stopped = true;
    for (const timer of this.timers.values()) clearTimeout(timer);
  }

  private async look(task: Task): Promise<void> {
    try {
      const isLate = !this.runner.isAtWork(task.name) && (await this.isLate(task));
      if (isLate || performance.now() >= (task.dueAt ?? Infinity)) await this.runner.run(task.name, "timer");
      if (isLate) await this.reschedule(task);
    } catch (error) {
      this.troubles.report(`the task ${task.name} cannot run`, error);
    }
    this.lookLater(task);
  }

  private lookLater(task: Task): void {
    if (!this.stopped)
      this.timers.set(
        task,
        setTimeout(() => void this.look(task), this.pauseOf(task)),
      );
  }

  /** Half an interval, so that a gap ends well before a third one; less where a run is due before. */
  private pauseOf({ everyMs, dueAt = Infinity }: Task): number {
    const untilDue = Math.max(SHORTEST_PAUSE_MS, dueAt - performance.now());
    return Math.min(everyMs / 2, untilDue, LONGEST_TIMER_MS);
  }

  private async isLate(task: Task): Promise<boolean> {
    const late = LATE_INTERVALS * task.everyMs;
    const now = performance.now();
    const known = Math.max(this.runner.lastFinish(task.name) + late, this.onTimeUntil.get(task) ?? -Infinity);
    if (now < known) return false;
    const age = await this.runs.ageMs(task.name);
    // A finish in the future says that the clock was set back, and nothing about when it was.
    if (age < 0 || age >= late) return true;
    this.onTimeUntil.set(task, now + late - age);
    return false;
  }
}
