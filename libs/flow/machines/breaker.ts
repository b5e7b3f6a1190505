import { isFailure, nextGeneration, type Outcome } from "./outcome.js";

export interface BreakerLimits {
  /** So many failures within `windowMs` open it. Successes between them do not count against them. */
  readonly failures: number;
  readonly windowMs: number;
  /** How long it stays open, and how long a probe may stay unanswered before its place is given to another. */
  readonly resetMs: number;
  /** Trial permits while it is half-open; all of them must succeed to close it. */
  readonly probes: number;
}

export interface Breaker {
  /** Rises whenever it opens or closes: results of permits from before change nothing. */
  epoch: number;
  /** When it turns half-open, milliseconds; null while it is closed. */
  openUntil: number | null;
  /** Times of the last failures while closed, newest first; at most `failures` of them. */
  failures: number[];
  /** Probes without an answer: permit id → when its place is free again. */
  probes: Map<string, number>;
  /** Probes that succeeded since it turned half-open. */
  succeeded: number;
}

export type BreakerPhase = "closed" | "open" | "half_open";

export function closedBreaker(): Breaker {
  return { epoch: 0, openUntil: null, failures: [], probes: new Map(), succeeded: 0 };
}

export function phaseOf({ openUntil }: Breaker, now: number): BreakerPhase {
  if (openUntil === null) return "closed";
  return now < openUntil ? "open" : "half_open";
}

/** Milliseconds until it lets a permit through: 0 if it does. */
export function waitForBreaker(breaker: Breaker, limits: BreakerLimits, now: number): number {
  drawIn(breaker, limits, now);
  const phase = phaseOf(breaker, now);
  if (phase === "closed") return 0;
  if (phase === "open") return breaker.openUntil! - now;
  const waiting = [...breaker.probes.values()];
  if (waiting.length === 0 || waiting.length + breaker.succeeded < limits.probes) return 0;
  return Math.min(...waiting) - now;
}

/** Passes a permit that `waitForBreaker` let through; while half-open it is a probe. Returns the epoch for its result. */
export function passBreaker(breaker: Breaker, limits: BreakerLimits, id: string, now: number): number {
  if (breaker.openUntil !== null) breaker.probes.set(id, now + limits.resetMs);
  return breaker.epoch;
}

/** Hears the result of a permit that was passed in `epoch`. */
export function hearResult(
  breaker: Breaker,
  limits: BreakerLimits,
  result: { readonly id: string; readonly epoch: number; readonly outcome: Outcome },
  now: number,
): void {
  if (result.epoch !== breaker.epoch) return;
  drawIn(breaker, limits, now);
  const { outcome } = result;
  if (breaker.openUntil === null) {
    if (isFailure(outcome)) countFailure(breaker, limits, now);
    return;
  }
  // An answer that comes after the place was given to another counts no more.
  if (!breaker.probes.delete(result.id)) return;
  if (isFailure(outcome)) return trip(breaker, limits, now);
  if (outcome === "succeeded" && ++breaker.succeeded >= limits.probes) reset(breaker, now);
}

export function trip(breaker: Breaker, { resetMs }: BreakerLimits, now: number): void {
  renew(breaker, now + resetMs, now);
}

export function reset(breaker: Breaker, now: number): void {
  renew(breaker, null, now);
}

function renew(breaker: Breaker, openUntil: number | null, now: number): void {
  Object.assign(breaker, closedBreaker(), { epoch: nextGeneration(breaker.epoch, now), openUntil });
}

function countFailure(breaker: Breaker, limits: BreakerLimits, now: number): void {
  breaker.failures.unshift(now);
  breaker.failures.length = Math.min(breaker.failures.length, limits.failures);
  const first = breaker.failures[limits.failures - 1];
  if (first !== undefined && first <= now && first > now - limits.windowMs) trip(breaker, limits, now);
}

/** Frees the places of unanswered probes, and keeps no time further off than a reset: the clock may have been set back. */
function drawIn(breaker: Breaker, { resetMs }: BreakerLimits, now: number): void {
  const latest = now + resetMs;
  if (breaker.openUntil !== null && breaker.openUntil > latest) breaker.openUntil = latest;
  for (const [id, until] of breaker.probes) {
    if (until <= now) breaker.probes.delete(id);
    else if (until > latest) breaker.probes.set(id, latest);
  }
}
