import { HoldfastError } from "../errors/errors.js";
import { linked, onAbort, timeoutError } from "../http/signals.js";
import { after } from "../timer.js";

/** Work that was told to stop and did not: it is left behind, and what it does from now on counts no more. */
export class WorkHung extends HoldfastError {
  constructor(graceMs: number, cause: unknown) {
    super(`the work did not stop within ${graceMs} ms of being told to`, { cause });
  }
}

/** How a piece of work ended. */
export type Ended<R> =
  | { readonly status: "returned"; readonly value: R }
  | { readonly status: "threw"; readonly error: unknown }
  /** Told to stop: by a time limit, or by its owner. */
  | { readonly status: "stopped"; readonly error: unknown; readonly timedOut: boolean };

export interface RunOptions {
  readonly signal: AbortSignal;
  /** Longest run, milliseconds; without it, none. */
  readonly timeoutMs?: number | undefined;
  /** How long work that was told to stop is waited for, milliseconds. */
  readonly graceMs: number;
}

/** Runs work under a signal of its own, and comes to an end even where the work does not. Never rejects. */
export async function runWork<R>(
  work: (signal: AbortSignal) => Promise<R> | R,
  { signal: owner, timeoutMs, graceMs }: RunOptions,
): Promise<Ended<R>> {
  const own = linked(owner);
  const { signal } = own;
  let timedOut = false;
  const overtime = (): void => {
    timedOut = !signal.aborted;
    own.abort(timeoutError(`the work took longer than ${timeoutMs} ms`));
  };
  const stopLimit = timeoutMs === undefined ? () => undefined : after(timeoutMs, overtime);
  const watch = graceAfter(signal, graceMs);
  try {
    const value = await Promise.race([Promise.resolve().then(() => work(signal)), watch.hung]);
    return { status: "returned", value };
  } catch (error) {
    return signal.aborted ? { status: "stopped", error, timedOut } : { status: "threw", error };
  } finally {
    stopLimit();
    watch.stop();
    own.unlink();
  }
}

/** Rejects when so much time has passed since the signal was aborted. */
function graceAfter(signal: AbortSignal, graceMs: number): { hung: Promise<never>; stop(): void } {
  let stopTimer: () => void = () => undefined;
  let forget: () => void = () => undefined;
  const hung = new Promise<never>((_, reject) => {
    forget = onAbort(signal, () => {
      stopTimer = after(graceMs, () => reject(new WorkHung(graceMs, signal.reason)));
    });
  });
  const stop = (): void => {
    stopTimer();
    forget();
  };
  return { hung, stop };
}
