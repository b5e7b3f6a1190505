import { ProblemError } from "../errors/errors.js";

export interface KeepAlive {
  /** No further beat starts, and one that is under way is given up. */
  stop(): void;
}

/**
 * Beats at a third of the time to live, so that two may be lost. A refusal for good ends it and is told; anything else is
 * tried again at the next beat. It keeps no process alive.
 */
export function keepAlive(
  ttlMs: number,
  beat: (signal: AbortSignal) => Promise<unknown>,
  onRefused: (refusal: ProblemError) => void,
): KeepAlive {
  const stopped = new AbortController();
  let beating = false;
  const stop = (): void => {
    clearInterval(timer);
    stopped.abort();
  };
  const once = async (): Promise<void> => {
    try {
      await beat(stopped.signal);
    } catch (error) {
      if (stopped.signal.aborted || !(error instanceof ProblemError) || error.retryable) return;
      stop();
      onRefused(error);
    }
  };
  const timer = setInterval(() => {
    if (beating) return;
    beating = true;
    void once().finally(() => (beating = false));
  }, ttlMs / 3);
  unref(timer);
  return { stop };
}

/** Browsers' timers are numbers and keep nothing alive. */
function unref(timer: unknown): void {
  (timer as { unref?: () => void }).unref?.();
}
