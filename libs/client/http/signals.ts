/** A signal that follows another one, and may be aborted besides. */
export interface Linked {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
  /** Lets the other signal go: it may outlive thousands of these. */
  unlink(): void;
}

export function linked(parent?: AbortSignal): Linked {
  const own = new AbortController();
  const follow = (): void => own.abort(parent?.reason);
  if (parent?.aborted) follow();
  else parent?.addEventListener("abort", follow, { once: true });
  return {
    signal: own.signal,
    abort: (reason) => own.abort(reason),
    unlink: () => parent?.removeEventListener("abort", follow),
  };
}

/** The error of what took too long. */
export function timeoutError(message: string): Error {
  return new DOMException(message, "TimeoutError");
}

/** Waits, milliseconds. @throws the signal's reason as soon as it is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}
