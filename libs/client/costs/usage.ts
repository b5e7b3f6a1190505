/**
 * What one call of a model used, in tokens: integers, 0 … 2^53 − 1. No token stands in two of these numbers, whatever the
 * provider's dialect, so that each is priced once.
 */
export interface Usage {
  /** Of the prompt, read afresh: neither read from a cache nor written to one. */
  readonly input: number;
  readonly cacheRead: number;
  /** Written to a cache, `cacheWrite1h` not counted. */
  readonly cacheWrite: number;
  /** Written to a cache that lives for an hour, where the provider tells it apart. */
  readonly cacheWrite1h: number;
  /** All that was generated, reasoning included. */
  readonly output: number;
  /** The provider's numbers contradict each other (more cached than the whole prompt): `input` was held at 0. */
  readonly inconsistent: boolean;
}

/** No usage was told, or none that can be trusted. It is not 0: what was used has to be assumed. */
export type Unknown = "unknown";

export const UNKNOWN: Unknown = "unknown";

/** All tokens of a call: what a unit `tokens` counts. */
export function totalTokens({ input, cacheRead, cacheWrite, cacheWrite1h, output }: Usage): number {
  return exact([input, cacheRead, cacheWrite, cacheWrite1h, output].reduce((sum, tokens) => sum + BigInt(tokens), 0n));
}

/**
 * The number that these digits are.
 * @throws RangeError above 2^53 − 1, where it could not be exact.
 */
export function exact(amount: bigint): number {
  if (amount > BigInt(Number.MAX_SAFE_INTEGER)) throw new RangeError(`${amount} is more than an exact number can hold`);
  return Number(amount);
}

/** A whole number that is 0 or more and exact; minus zero is none. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && !Object.is(value, -0) && (value as number) >= 0;
}
