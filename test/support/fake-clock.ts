interface Timer {
  readonly at: number;
  readonly call: () => void;
}

/** A clock for guards that stands until it is moved, and that knows which timers are set. */
export class FakeClock {
  private time = 0;
  private readonly timers = new Set<Timer>();

  now(): number {
    return this.time;
  }

  after(ms: number, call: () => void): () => void {
    const timer = { at: this.time + ms, call };
    this.timers.add(timer);
    return () => void this.timers.delete(timer);
  }

  get pending(): number {
    return this.timers.size;
  }

  /** Moves on and fires what is due on the way, each at its time; what they set off runs before the next one. */
  async advance(ms: number): Promise<void> {
    const until = this.time + ms;
    await settled();
    for (;;) {
      const [next] = [...this.timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
      if (!next) break;
      this.timers.delete(next);
      this.time = Math.max(this.time, Math.ceil(next.at));
      next.call();
      await settled();
    }
    this.time = until;
  }
}

/** Lets everything run that waits for nothing but its turn. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
