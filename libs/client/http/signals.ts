import { after } from "../timer.js";

/** What hears of each signal. */
const hearers = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back once when the signal is aborted, at once where it is already; the answer takes that back. However many wait for
 * one signal, it has a single listener: a run's signal is waited for by everything in flight, and platforms warn of so many.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (!signal) return () => undefined;
  if (signal.aborted) {
    callback();
    return () => undefined;
  }
  const all = hearers.get(signal) ?? hear(signal);
  // Of its own, so that the same callback given twice is taken back once.
  const own = (): void => callback();
  all.add(own);
  return () => all.delete(own);
}

function hear(signal: AbortSignal): Set<() => void> {
  const all = new Set<() => void>();
  hearers.set(signal, all);
  const tell = (): void => {
    for (const callback of [...all]) callback();
    all.clear();
  };
  signal.addEventListener("abort", tell, { once: true });
  return all;
}

/** A signal that follows another one, and may be aborted besides. */
export interface Linked {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
  /** Lets the other signal go: it may outlive thousands of these. */
  unlink(): void;
}

export function linked(parent?: AbortSignal): Linked {
  const own = new AbortController();
  const unlink = onAbort(parent, () => own.abort(parent?.reason));
  return { signal: own.signal, abort: (reason) => own.abort(reason), unlink };
}

/** The error of what took too long. */
export function timeoutError(message: string): Error {
  return new DOMException(message, "TimeoutError");
}

/** Waits, milliseconds. @throws the signal's reason as soon as it is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const wakeNoMore = after(ms, () => {
      forget();
      resolve();
    });
    const forget = onAbort(signal, () => {
      wakeNoMore();
      reject(signal?.reason as Error);
    });
  });
}
