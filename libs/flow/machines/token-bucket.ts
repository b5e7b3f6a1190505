/**
 * A token bucket. It counts in whole millionths of a token, so that nothing is lost or won by rounding: a wait that it
 * states is exact, and the Redis script reaches the same figures.
 */

export interface Rate {
  /** Tokens a second; 0 lets nothing through, ever. */
  readonly ratePerSecond: number;
  /** Most tokens that the bucket holds; a new one is full. At most 10^9. */
  readonly burst: number;
}

export interface Bucket {
  /** Millionths of a token at `at`. */
  level: number;
  /** When `level` was counted, milliseconds. */
  at: number;
}

const TOKEN = 1_000_000;
/**
 * A clock that is behind by no more than this is another process' clock: the stamp stays, or time would be credited twice.
 * One that is further behind was set: the stamp follows, or nobody would pass until the old time comes again.
 */
export const SKEW_MS = 5_000;

export function fullBucket({ burst }: Rate, now: number): Bucket {
  return { level: burst * TOKEN, at: now };
}

/** Milliseconds until `cost` tokens are there: 0 if they are, null if they never will be. Takes nothing. */
export function waitForTokens(bucket: Bucket, rate: Rate, cost: number, now: number): number | null {
  if (rate.ratePerSecond <= 0 || cost > rate.burst) return null;
  const missing = cost * TOKEN - levelOf(bucket, rate, now);
  if (missing <= 0) return 0;
  const behind = Math.max(0, bucket.at - now);
  const stepsPerMs = stepsPerMsOf(rate);
  const wait = Math.ceil(missing / stepsPerMs);
  return behind + (Math.floor(wait * stepsPerMs) < missing ? wait + 1 : wait);
}

/** Takes what `waitForTokens` found to be there. */
export function takeTokens(bucket: Bucket, rate: Rate, cost: number, now: number): void {
  bucket.level = levelOf(bucket, rate, now) - cost * TOKEN;
  bucket.at = Math.max(bucket.at, now);
}

/** After the clock was set back: refill begins anew from here. */
export function followClock(bucket: Bucket, now: number): void {
  if (bucket.at - now > SKEW_MS) bucket.at = now;
}

/** Whole tokens that are there. */
export function tokensIn(bucket: Bucket, rate: Rate, now: number): number {
  return Math.floor(levelOf(bucket, rate, now) / TOKEN);
}

function levelOf({ level, at }: Bucket, rate: Rate, now: number): number {
  const refilled = Math.floor(Math.max(0, now - at) * stepsPerMsOf(rate));
  return Math.max(0, Math.min(rate.burst * TOKEN, level + refilled));
}

function stepsPerMsOf({ ratePerSecond }: Rate): number {
  return (ratePerSecond * TOKEN) / 1_000;
}
