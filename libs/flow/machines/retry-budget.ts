export interface RetryLimits {
  /** Retries for each first attempt within the window; "off" lets every retry through. */
  readonly ratio: number | "off";
  /** So many retries within the window are let through in any case, or a job of a few children could never retry. */
  readonly least: number;
  readonly windowMs: number;
}

export const RETRY_DEFAULTS: RetryLimits = { ratio: 0.2, least: 10, windowMs: 60_000 };

export interface Slice {
  firsts: number;
  retries: number;
}

/**
 * What a job has started, by slices of the window: number of the slice (its time ÷ its length) → counts. Sliding to within
 * one slice, a tenth of the window.
 */
export type RetryBudget = Map<number, Slice>;

const SLICES = 10;

/** Milliseconds until a retry is let through: 0 if it is now, null if waiting alone never helps. */
export function waitForRetry(budget: RetryBudget, limits: RetryLimits, now: number): number | null {
  if (limits.ratio === "off") return 0;
  const length = sliceMs(limits);
  const current = Math.floor(now / length);
  const sum: Slice = { firsts: 0, retries: 0 };
  for (let slice = current; slice > current - SLICES; slice--) add(sum, budget.get(slice));
  if (allows(sum, limits, limits.ratio)) return 0;
  // What has passed out of the window counts no more; the oldest goes first.
  for (let slice = current - SLICES + 1; slice <= current; slice++) {
    add(sum, budget.get(slice), -1);
    if (allows(sum, limits, limits.ratio)) return (slice + SLICES) * length - now;
  }
  return null;
}

export function countStart(budget: RetryBudget, limits: RetryLimits, retry: boolean, now: number): void {
  const current = Math.floor(now / sliceMs(limits));
  for (const slice of budget.keys()) if (slice <= current - SLICES || slice > current) budget.delete(slice);
  const slice = budget.get(current) ?? { firsts: 0, retries: 0 };
  if (retry) slice.retries++;
  else slice.firsts++;
  budget.set(current, slice);
}

function allows({ firsts, retries }: Slice, { least }: RetryLimits, ratio: number): boolean {
  return retries + 1 <= Math.max(least, Math.floor(firsts * ratio));
}

function add(sum: Slice, slice: Slice | undefined, sign = 1): void {
  if (!slice) return;
  sum.firsts += sign * slice.firsts;
  sum.retries += sign * slice.retries;
}

function sliceMs({ windowMs }: RetryLimits): number {
  return Math.ceil(windowMs / SLICES);
}
