import type { QueueLimits, Rate } from "#libs/flow/machines";
import type { Clock } from "./clock.js";
import { Guard, type AcquireOptions } from "./guard.js";

/** So many tokens a second and no more than `burst` at once. It begins full. */
export class TokenBucket {
  private readonly guard: Guard;

  /** Without a queue nobody waits for tokens. */
  constructor(rate: Rate, queue?: QueueLimits, clock?: Clock) {
    this.guard = new Guard({ rate, ...(queue && { queue }) }, clock);
  }

  /** Takes so many tokens, or none. More than the burst are refused for good. @throws Shed */
  async take(tokens = 1, options?: Omit<AcquireOptions, "cost">): Promise<void> {
    const permit = await this.guard.acquire({ ...options, cost: tokens });
    permit.finish();
  }

  /** Whole tokens that are there now. */
  get tokens(): number {
    return this.guard.tokens;
  }

  get waiting(): number {
    return this.guard.waiting;
  }
}
