/** Longest that a timer is set for, milliseconds (24 days): one of more than 2^31 − 1 fires at once. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** Calls back once after so long, `Infinity` included, unless the function that it returns is called before. */
export function after(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, Math.min(ms, LONGEST_TIMER_MS));
  return () => clearTimeout(timer);
}
