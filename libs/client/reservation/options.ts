import type { Amounts } from "../api/types.js";
import type { ClosedAs } from "../closing/closing.js";
import type { Watched } from "../work/spending.js";

/** A job, or its id. */
export type JobRef = string | { readonly id: string };

export function idOf(job: JobRef): string {
  return typeof job === "string" ? job : job.id;
}

/** What work is given to say what it uses. */
export interface Meters {
  /**
   * Adds to what this work used; several calls add up, and an explicit 0 says that nothing was used. A unit that is never
   * told is settled as planned, marked estimated.
   * @throws RangeError where an amount is no integer ≥ 0, or its unit was not reserved.
   */
  use(amounts: Amounts): void;
  /** Takes what a meter has seen when the work ends, such as that of `meter(stream, …)`. Counted once. */
  watch<W extends Watched>(watched: W): W;
  /** What was reserved for this work, in every unit: the `planned` of `meter(stream, …)`. */
  readonly planned: Amounts;
}

export interface ReservationContext extends Meters {
  readonly reservationId: string;
  /** Aborted when the caller's signal is, when the time limit passes, and when the job or the reservation has ended. */
  readonly signal: AbortSignal;
}

/** How a reservation was closed. */
export interface ClosedReservation {
  readonly reservationId: string;
  readonly as: ClosedAs;
  /** What was settled, in every unit that was reserved. */
  readonly actual: Amounts;
  /** Some of it is what was planned, since what was used was not told. */
  readonly estimated: boolean;
}

export interface WithReservationOptions {
  readonly signal?: AbortSignal | undefined;
  /** How long the reservation lives when nobody extends it any more, milliseconds; default 60 000. It is extended while the work runs. */
  readonly ttlMs?: number | undefined;
  /** Longest run of the work, milliseconds; without it, none. Then its signal is aborted. */
  readonly timeoutMs?: number | undefined;
  /** How long work that was told to stop is waited for, milliseconds; default 5 000. */
  readonly graceMs?: number | undefined;
  /** Of the reservation; without it, one is made. Again with the same key the work runs under the same one, if that is open. */
  readonly idempotencyKey?: string | undefined;
  /** The service that the work calls: its allowances bind the work too. */
  readonly service?: string | undefined;
  /** Told once the reservation is closed. */
  readonly onClosed?: ((closed: ClosedReservation) => void) | undefined;
}
