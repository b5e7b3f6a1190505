/** How often and how long a request is sent again. */
export interface RetryOptions {
  /** Most times that a request is sent, the first included. Default 5. */
  readonly tries: number;
  /** A request and all its retries take no longer, milliseconds. Default 60 000. */
  readonly totalMs: number;
  /** The first wait is at most so long, milliseconds; each further one at most twice the one before. Default 200. */
  readonly baseMs: number;
  /** Longest wait that was not asked for by the service, milliseconds. Default 8 000. */
  readonly mostMs: number;
}

export const RETRY_DEFAULTS: RetryOptions = { tries: 5, totalMs: 60_000, baseMs: 200, mostMs: 8_000 };

/**
 * What a Retry-After header asks for, milliseconds: whole or decimal seconds, or an HTTP date. null where there is none, or
 * one that says nothing: a wait of 0 or less, a date that has passed, or no number at all.
 */
export function retryAfterMs(header: string | null, nowMs: number): number | null {
  const text = header?.trim() ?? "";
  const seconds = /^\d+(\.\d+)?$/.test(text);
  // A date names a weekday; without that test a negative number would be read as a year.
  if (!seconds && !/^[A-Za-z]{3,9}, /.test(text)) return null;
  const waitMs = seconds ? Math.ceil(Number(text) * 1_000) : Date.parse(text) - nowMs;
  return waitMs > 0 ? waitMs : null;
}

/**
 * The wait before the next try, milliseconds: full jitter over an exponential bound (Brooker, "Exponential Backoff And
 * Jitter"). What the service asks for is waited in full, and the jitter comes on top, so that those who were told the same
 * second do not all come back in it.
 * @param random in [0, 1)
 */
export function waitBeforeRetry(
  triesSoFar: number,
  askedMs: number | null,
  { baseMs, mostMs }: Pick<RetryOptions, "baseMs" | "mostMs">,
  random: number,
): number {
  return (askedMs ?? 0) + Math.floor(random * Math.min(mostMs, baseMs * 2 ** (triesSoFar - 1)));
}
