import type { Amounts, CreateJobBody } from "../api/types.js";
import type { ClosedAs, NotSettled } from "../closing/closing.js";
import type { Denied } from "../errors/errors.js";
import type { JobRef, Meters } from "../reservation/options.js";

export interface AttemptContext extends Meters {
  readonly jobId: string;
  readonly reservationId: string;
  /** Where the item stands among the items, from 0 on. */
  readonly index: number;
  /** Which attempt of the item this is; 1 is the first try. */
  readonly attempt: number;
  /** Aborted when the run is, when the time limit passes, and when the job has ended. Hand it to what you call. */
  readonly signal: AbortSignal;
}

export type Worker<T, R> = (item: T, context: AttemptContext) => Promise<R> | R;

export interface FanOutOptions {
  /** A job that stays open afterwards, or the fields of a new one, which is closed at the end. Default: a new one. */
  readonly job?: JobRef | CreateJobBody | undefined;
  /** Planned cost of one attempt, in every unit that it may use. */
  readonly attemptCost: Amounts;
  /** Attempts that each item may have, the first try included; default 1. */
  readonly attempts?: number | undefined;
  /** Most items at work at once; default 10. What the service bounds besides is waited for. */
  readonly concurrency?: number | undefined;
  /** The service that the worker calls: its allowances, rate, places and breaker bind. Without it, only the plan and the job's retries. */
  readonly service?: string | undefined;
  /** Tokens of the service's rate that one attempt takes; default 1. */
  readonly rateCost?: number | undefined;
  /** `all`, as by default: every item or none. `partial`: the first items, as many as fit; the rest is `denied`. */
  readonly admit?: "all" | "partial" | undefined;
  /** Aborting stops what runs, and settles it. */
  readonly signal?: AbortSignal | undefined;
  /** Longest run of one attempt, milliseconds; without it, none. */
  readonly attemptTimeoutMs?: number | undefined;
  /** How long a worker that was told to stop is waited for, milliseconds; default 5 000. */
  readonly graceMs?: number | undefined;
  /** When the service has let nothing of this run through for so long, what waits is `shed`, milliseconds; default 120 000. */
  readonly patienceMs?: number | undefined;
  /** How long the reservation lives when nobody extends it any more, milliseconds; default 60 000. It is extended during the run. */
  readonly ttlMs?: number | undefined;
  /** Whether an attempt that failed is tried again, within the plan; by default unless the service called it the caller's own fault (4xx). */
  readonly retry?: ((error: unknown, attempt: number) => boolean) | undefined;
  /** Called at the end of each item, and not waited for. What it throws stops the run, which then rejects with it. */
  readonly onProgress?: ((progress: Progress) => void | Promise<void>) | undefined;
  /** Names job and plan: run again with it, for example after a crash, the run goes on under the same reservation. */
  readonly idempotencyKey?: string | undefined;
}

interface ItemEnd<T> {
  readonly index: number;
  readonly item: T;
  /** What its attempts used together; empty where none started. */
  readonly cost: Amounts;
  /** Some of the cost is what was planned, since what was used was not told. */
  readonly estimated: boolean;
  /** Attempts that were started here. */
  readonly attempts: number;
}

/**
 * How an item ended.
 * - `done`: the worker returned.
 * - `failed`: the last attempt that the plan and `retry` allowed failed, or the service refuses such requests for good.
 * - `denied`: the allowance did not hold it, so it never started.
 * - `shed`: the service had no capacity for it for too long.
 * - `cancelled`: the run was aborted, or its job or reservation ended.
 */
export type ItemResult<T, R> =
  | (ItemEnd<T> & { readonly status: "done"; readonly value: R })
  | (ItemEnd<T> & { readonly status: "failed" | "shed" | "cancelled"; readonly error: unknown })
  | (ItemEnd<T> & { readonly status: "denied"; readonly error: Denied | undefined });

export type ItemStatus = ItemResult<unknown, unknown>["status"];

export type Counts = Readonly<Record<ItemStatus, number>>;

export interface Progress {
  readonly total: number;
  readonly counts: Counts;
  /** Items that an attempt runs of now. */
  readonly running: number;
  readonly cost: Amounts;
}

export interface FanOutReport<T, R> {
  /** One for each item, in their order: what could not be finished is told, never dropped. */
  readonly results: readonly ItemResult<T, R>[];
  readonly counts: Counts;
  readonly cost: Amounts;
  readonly jobId: string | undefined;
  readonly reservationId: string | undefined;
  /** How the reservation was closed; undefined where there was none, or where it is not closed. */
  readonly closed: ClosedAs | undefined;
  /** What the run used could not be booked in full: what is left to say. */
  readonly notSettled: NotSettled | undefined;
  /** Why nothing was admitted. */
  readonly denial: Denied | undefined;
}
