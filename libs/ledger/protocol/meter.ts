import type { Command, LedgerEntry, Outcome, SettingsEntry } from "../domain/index.js";

/** What a command waits for: the look at the copies, or the commit that decides it. */
export type Stage = "script" | "commit";

/**
 * What the ledger tells whoever counts. Calls come at once, in the process in which it happened, and must not fail. How
 * it is counted, named and shown is not part of it.
 */
export interface LedgerMeter {
  /** Runs what belongs to a stage of one command, and hands on how it ends. */
  stage<T>(stage: Stage, run: () => Promise<T>): Promise<T>;
  /** A command was decided, and its caller is about to be told. */
  decided(command: Command, outcome: Outcome): void;
  /** A command was not decided: the record is away or too slow, or the process stops. */
  undecided(command: Command, error: unknown): void;
  /** A transaction of so many commands was decided and, if it changed anything, committed, in so many milliseconds. */
  batch(commands: number, ms: number): void;
  /** What a commit of this process moved. */
  moved(tenantId: string, entries: readonly (LedgerEntry | SettingsEntry)[]): void;
  /** So many copies were sent: those that a commit changed, or those that were too old to refuse by. */
  copied(copies: number, why: "commit" | "stale"): void;
  /** Redis did not answer, and is left alone for a while. */
  bypassed(): void;
}

/** Counts nothing. */
export const NO_METER: LedgerMeter = {
  stage: (_, run) => run(),
  decided: () => undefined,
  undecided: () => undefined,
  batch: () => undefined,
  moved: () => undefined,
  copied: () => undefined,
  bypassed: () => undefined,
};
