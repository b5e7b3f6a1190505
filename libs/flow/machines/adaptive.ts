import { nextGeneration, type Outcome } from "./outcome.js";

export interface AdaptiveLimits {
  /** At least 1. */
  readonly min: number;
  readonly max: number;
}

/**
 * A concurrency limit that finds itself: additive increase, multiplicative decrease, as in TCP (RFC 5681, §3.1). It begins
 * at `max` and rises by one a round of calls, if all places were taken while they were in flight: idle calls prove nothing.
 */
export interface Adaptive {
  /** Thousandths of a place; what `min` and `max` make of it binds. */
  limit: number;
  /** When all places were last taken, milliseconds. */
  fullAt: number;
  /** Rises with each decrease. A burst that fails together was passed in one round and lowers the limit once. */
  round: number;
}

const PLACE = 1_000;

export function startAdaptive(): Adaptive {
  return { limit: Number.POSITIVE_INFINITY, fullAt: 0, round: 0 };
}

/** Places there are now. */
export function adaptiveLimit({ limit }: Adaptive, limits: AdaptiveLimits): number {
  return Math.floor(within(limit, limits) / PLACE);
}

/** Notes that a permit was passed, `inFlight` counting it already. */
export function noteStart(adaptive: Adaptive, limits: AdaptiveLimits, inFlight: number, now: number): void {
  if (inFlight >= adaptiveLimit(adaptive, limits)) adaptive.fullAt = now;
}

/** Hears how a call ended that was passed at `grantedAt`, in `round`. */
export function adapt(
  adaptive: Adaptive,
  limits: AdaptiveLimits,
  result: { readonly round: number; readonly grantedAt: number; readonly outcome: Outcome },
  now: number,
): void {
  if (result.round !== adaptive.round) return;
  const limit = within(adaptive.limit, limits);
  if (result.outcome === "overloaded") {
    adaptive.limit = within(Math.floor(limit / 2), limits);
    adaptive.round = nextGeneration(adaptive.round, now);
  } else if (result.outcome === "succeeded" && adaptive.fullAt >= result.grantedAt && adaptive.fullAt <= now) {
    adaptive.limit = within(limit + Math.max(1, Math.floor((PLACE * PLACE) / limit)), limits);
  }
}

function within(limit: number, { min, max }: AdaptiveLimits): number {
  return Math.max(min * PLACE, Math.min(max * PLACE, limit));
}
