/** What a lane does next: an item, a wait of so many milliseconds, or nothing any more. */
export type Turn = { readonly index: number } | { readonly waitMs: number } | null;

/** The items that are to be started: retries when they are due, and before what never started. */
export class Tasks {
  private next = 0;
  private readonly delayed: { index: number; dueAt: number }[] = [];
  private pausedUntil = 0;

  constructor(private count: number) {}

  /** Leaves out all from this one on. */
  cut(from: number): number[] {
    const left = Array.from({ length: this.count - from }, (_, i) => from + i);
    this.count = from;
    return left;
  }

  take(now: number): Turn {
    const first = this.delayed[0];
    if (!first && this.next >= this.count) return null;
    if (now < this.pausedUntil) return { waitMs: this.pausedUntil - now };
    if (first && first.dueAt <= now) return { index: this.delayed.shift()!.index };
    return this.next < this.count ? { index: this.next++ } : { waitMs: first!.dueAt - now };
  }

  /** Takes an item back, to be started no sooner than then. */
  delay(index: number, dueAt: number): void {
    const at = this.delayed.findIndex((other) => other.dueAt > dueAt);
    this.delayed.splice(at === -1 ? this.delayed.length : at, 0, { index, dueAt });
  }

  /** Nothing starts before then. */
  pause(until: number): void {
    this.pausedUntil = Math.max(this.pausedUntil, until);
  }

  /** Empties it: every item that has not been taken. */
  drain(): number[] {
    const left = [...this.delayed.splice(0).map(({ index }) => index)];
    while (this.next < this.count) left.push(this.next++);
    return left;
  }
}
