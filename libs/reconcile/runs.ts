export const TASKS = ["expire", "periods", "retention", "audit", "notify", "statistics", "history"] as const;

export type TaskName = (typeof TASKS)[number];

/** `timer`: a process ran it by itself, since the schedule had not for too long. */
export type Trigger = "schedule" | "timer" | "manual";

/** `partial`: some of it could not be done, it was cut by a stop, or an audit found differences. */
export type Outcome = "ok" | "partial" | "failed";

/** One run of a task, as the public API shows it; times are RFC 3339 UTC by the record's clock. */
export interface RunView {
  readonly id: string;
  readonly task: TaskName;
  readonly trigger: Trigger;
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly outcome: Outcome;
  readonly handled: number;
  readonly failed: number;
  /** What is worth knowing beyond the counts; null where nothing is. */
  readonly detail: object | null;
}

export interface RunRow {
  readonly id: string;
  readonly task: string;
  readonly trigger: string;
  readonly started_at: Date;
  readonly finished_at: Date;
  readonly outcome: string;
  readonly handled: number;
  readonly failed: number;
  readonly detail: object | null;
}

export const RUN_COLUMNS = "id, task, trigger, started_at, finished_at, outcome, handled, failed, detail";

export function runView({ started_at, finished_at, ...row }: RunRow): RunView {
  const { id, task, trigger, outcome, handled, failed, detail } = row as Omit<RunView, "startedAt" | "finishedAt">;
  const startedAt = started_at.toISOString();
  return { id, task, trigger, startedAt, finishedAt: finished_at.toISOString(), outcome, handled, failed, detail };
}
