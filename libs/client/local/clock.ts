/** The time that a guard lives by. Tests bring one that they move. */
export interface Clock {
  /** Milliseconds, whole, from anywhere; never goes back. */
  now(): number;
  /** Calls back once after so long, unless the function that it returns is called before. */
  after(ms: number, call: () => void): () => void;
}

/** Longest that a timer is set for, milliseconds: one of more than 2^31 − 1 fires at once. */
const LONGEST_TIMER_MS = 2_147_483_647;

export const systemClock: Clock = {
  now: () => Math.floor(performance.now()),
  after: (ms, call) => {
    const timer = setTimeout(call, Math.min(ms, LONGEST_TIMER_MS));
    return () => clearTimeout(timer);
  },
};
