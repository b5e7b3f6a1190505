/**
 * Waits for the work, but no longer than until the stop. Leaves nothing at the signal, which lives as long as the process.
 */
export async function orStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  if (signal.aborted) return undefined;
  let stop = (): void => undefined;
  const stopped = new Promise<undefined>((resolve) => (stop = () => resolve(undefined)));
  signal.addEventListener("abort", stop);
  try {
    return await Promise.race([work, stopped]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
