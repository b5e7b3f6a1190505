import type { BreakerLimits, BreakerPhase } from "#libs/flow/machines";
import type { Clock } from "./clock.js";
import { Guard, type Permit } from "./guard.js";

/** Refuses at once while a service fails, then lets a few trials through. */
export class Breaker {
  private readonly guard: Guard;

  constructor(limits: BreakerLimits, clock?: Clock) {
    this.guard = new Guard({ breaker: limits }, clock);
  }

  /** For work whose outcome you tell yourself. @throws Shed */
  acquire(): Promise<Permit> {
    return this.guard.acquire();
  }

  /** @throws Shed */
  run<T>(work: () => Promise<T> | T, options?: { readonly signal?: AbortSignal }): Promise<T> {
    return this.guard.run(work, options);
  }

  /** Opens it by hand, for one reset time. */
  trip(): void {
    this.guard.trip();
  }

  /** Closes it by hand. */
  reset(): void {
    this.guard.reset();
  }

  get phase(): BreakerPhase {
    return this.guard.phase;
  }
}
