import type { TaskName } from "#libs/reconcile";
import { messageOf } from "./log.js";

/** What a run has done so far; kept up as it goes, so that a run that breaks off still reports what it did. */
export interface Tally {
  handled: number;
  failed: number;
  /** What is worth knowing beyond the counts. */
  detail: object | null;
}

/**
 * What the reconciler does again and again. Every task is level-triggered: it looks at what is and mends it, so a run
 * that is lost, doubled or late changes nothing but when.
 */
export interface Task {
  readonly name: TaskName;
  /** Longest time between two runs, milliseconds. */
  readonly everyMs: number;
  /** True where two processes at once would only waste work. False: no hung process can ever keep it from running. */
  readonly alone: boolean;
  /** Monotonic time from which a run is due whatever the schedule says. */
  readonly dueAt?: number;
  /** `more`: it stopped to have this much recorded, and goes on with the next run. Stops soon once aborted. */
  run(tally: Tally, signal: AbortSignal): Promise<"done" | "more">;
}

/** Does one part of a run: one that fails keeps none of the others, and comes again with the next run. */
export async function attempt(what: string, tally: Tally, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    tally.failed += 1;
    tally.detail = { ...tally.detail, [what]: messageOf(error) };
  }
}
