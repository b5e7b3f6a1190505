/**
 * How an attempt ended, as its caller saw it. A call that timed out is `overloaded`: the service did not keep up.
 * `rejected` is the caller's own fault (a 4xx other than 429) and `cancelled` its own wish: neither says anything of the
 * service.
 */
export const OUTCOMES = ["succeeded", "failed", "overloaded", "rejected", "cancelled"] as const;

export type Outcome = (typeof OUTCOMES)[number];

/** Whether the outcome speaks against the service. */
export function isFailure(outcome: Outcome): boolean {
  return outcome === "failed" || outcome === "overloaded";
}

/** The next number of something that has generations. Made of the time, so that it also grows where the last was lost. */
export function nextGeneration(last: number, now: number): number {
  return Math.max(last + 1, now);
}
