/**
 * The time and the event loop of one process: all that the protocol knows of the machine. A simulation gives each of its
 * processes one of its own, so that a run depends on its seed alone.
 */
export interface Runtime {
  /** Monotonic milliseconds. */
  now(): number;
  /** Milliseconds since 1970 by the clock of this machine; only a first guess of the record's time. */
  wall(): number;
  /** Runs at the end of this turn of the event loop, so that what arrives together goes together. */
  soon(run: () => void): void;
  /** Runs again and again until the returned function is called; does not keep the process alive. */
  every(ms: number, run: () => void): () => void;
}

export const NODE_RUNTIME: Runtime = {
  now: () => performance.now(),
  wall: () => Date.now(),
  soon: (run) => void setImmediate(run),
  every: (ms, run) => {
    const timer = setInterval(run, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
};
