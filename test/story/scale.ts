/** How much is asked of the service, and how it behaves. */
export interface Scale {
  /** Requests that the service serves in a second; it answers 429 beyond them. */
  readonly perSecond: number;
  /** Calls of each account, one after another. */
  readonly callsEach: number;
  /** Accounts of the tenant that works at all of them at once. */
  readonly greedy: number;
  /** Accounts of the other, how many it works at at once, and how long it thinks between two calls. */
  readonly modest: { readonly accounts: number; readonly lanes: number; readonly thinkMs: number };
  /** When the service breaks, milliseconds from the start, and for how long it answers 503 then. */
  readonly brokenAtMs: number;
  readonly brokenMs: number;
  readonly breaker: {
    readonly failures: number;
    readonly windowMs: number;
    readonly resetMs: number;
    readonly probes: number;
  };
  /** What the naive client does about a refusal: so many retries, each after up to twice the time, at most `mostMs`. */
  readonly backOff: { readonly retries: number; readonly firstMs: number; readonly mostMs: number };
}

/** 400 accounts × 4 calls. */
export const FULL: Scale = {
  perSecond: 10,
  callsEach: 4,
  greedy: 320,
  modest: { accounts: 80, lanes: 2, thinkMs: 600 },
  brokenAtMs: 80_000,
  brokenMs: 20_000,
  breaker: { failures: 5, windowMs: 10_000, resetMs: 2_000, probes: 1 },
  backOff: { retries: 10, firstMs: 500, mostMs: 30_000 },
};

/** The same within half a minute. */
export const SMALL: Scale = {
  perSecond: 10,
  callsEach: 4,
  greedy: 34,
  modest: { accounts: 6, lanes: 2, thinkMs: 600 },
  brokenAtMs: 4_000,
  brokenMs: 3_000,
  breaker: { failures: 3, windowMs: 10_000, resetMs: 1_000, probes: 1 },
  backOff: { retries: 10, firstMs: 250, mostMs: 4_000 },
};

/** Tokens that an attempt uses, by how it went; one is planned for as if it succeeded. */
export const USED = { succeeded: 7, failed: 2 };
/** Attempts that the plan has for each call. */
export const ATTEMPTS = 3;

/** The shortest time in which a service of this rate can do it, milliseconds. */
export function idealMs({ greedy, modest, callsEach, perSecond, brokenMs }: Scale): number {
  return (((greedy + modest.accounts) * callsEach) / perSecond) * 1_000 + brokenMs;
}
