import type { QueueLimits } from "#libs/flow/machines";
import type { Clock } from "./clock.js";
import { Guard, type AcquireOptions } from "./guard.js";

type WaitOptions = Omit<AcquireOptions, "cost">;

/** So many may wait for a semaphore that is given no queue of its own, for as long as they like. */
const QUEUE: QueueLimits = { max: 10_000, maxWaitMs: Number.POSITIVE_INFINITY };

/** At most `places` at once; 0 lets nobody in. */
export class Semaphore {
  private readonly guard: Guard;

  constructor(places: number, queue: QueueLimits = QUEUE, clock?: Clock) {
    this.guard = new Guard({ concurrency: places, queue }, clock);
  }

  /** Returns the function that gives the place back; a second call of it changes nothing. @throws Shed */
  async acquire(options?: WaitOptions): Promise<() => void> {
    const permit = await this.guard.acquire(options);
    return () => void permit.finish();
  }

  /** @throws Shed */
  run<T>(work: () => Promise<T> | T, options?: WaitOptions): Promise<T> {
    return this.guard.run(work, options);
  }

  get inFlight(): number {
    return this.guard.inFlight;
  }

  get waiting(): number {
    return this.guard.waiting;
  }
}

export interface BoundedQueueLimits extends QueueLimits {
  /** Most that work at once. */
  readonly concurrency: number;
}

/** Work that waits for its turn, never more of it than `max`. Lines take turns, so that a long one starves no short one. */
export class BoundedQueue extends Semaphore {
  constructor({ concurrency, ...queue }: BoundedQueueLimits, clock?: Clock) {
    super(concurrency, queue, clock);
  }
}
