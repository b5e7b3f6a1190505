import type { AdaptiveLimits, QueueLimits } from "#libs/flow/machines";
import type { Clock } from "./clock.js";
import { Guard, type AcquireOptions, type Permit } from "./guard.js";

/** As many at once as the service bears: one more a round of calls that used all places, half of it on an overload. */
export class AdaptiveLimit {
  private readonly guard: Guard;

  /** Without a queue nobody waits for a place. */
  constructor(limits: AdaptiveLimits, queue?: QueueLimits, clock?: Clock) {
    this.guard = new Guard({ adaptive: limits, ...(queue && { queue }) }, clock);
  }

  /** For work whose outcome you tell yourself. @throws Shed */
  acquire(options?: Omit<AcquireOptions, "cost">): Promise<Permit> {
    return this.guard.acquire(options);
  }

  /** @throws Shed */
  run<T>(work: () => Promise<T> | T, options?: Omit<AcquireOptions, "cost">): Promise<T> {
    return this.guard.run(work, options);
  }

  /** Places there are now. */
  get limit(): number {
    return this.guard.places;
  }

  get inFlight(): number {
    return this.guard.inFlight;
  }
}
