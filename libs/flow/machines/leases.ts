/**
 * Concurrency by leases: each attempt in flight has a place with a deadline of its own, in milliseconds. All leases are gone
 * through only when one of them may have ended, so that a permit costs the same beside a hundred thousand others.
 */
export class Leases {
  private readonly deadlines = new Map<string, number>();
  /** The lease that was found to end first, and no lease ends before it. */
  private first: { readonly id: string; readonly deadline: number } | null = null;
  /** No lease ends after it. */
  private latest = Number.NEGATIVE_INFINITY;

  get size(): number {
    return this.deadlines.size;
  }

  hold(id: string, deadline: number): void {
    this.deadlines.set(id, deadline);
    this.note(id, deadline);
  }

  /**
   * Lets go what is overdue: nobody else has to notice that a holder died. A deadline further off than a lease is long
   * shows that the clock was set back; it is drawn in, so that a lost holder does not keep its place until the old time.
   */
  endOverdue(leaseMs: number, now: number): void {
    if (this.first === null || (this.first.deadline > now && this.latest <= now + leaseMs)) return;
    for (const [id, deadline] of this.deadlines) {
      if (deadline <= now) this.deadlines.delete(id);
      else if (deadline > now + leaseMs) this.deadlines.set(id, now + leaseMs);
    }
    this.lookAgain();
  }

  /**
   * Milliseconds until a place is free if no holder renews: 0 if one is, null if there never will be. Call `endOverdue`
   * first.
   */
  waitForPlace(limit: number, now: number): number | null {
    if (limit < 1) return null;
    if (this.size < limit) return 0;
    if (this.size > limit) return this.inOrder()[this.size - limit]![1] - now;
    if (this.first === null || this.deadlines.get(this.first.id) !== this.first.deadline) this.lookAgain();
    return this.first!.deadline - now;
  }

  /** Moves the deadline of a lease that still lives; one that ended stays ended. */
  renew(id: string, leaseMs: number, now: number): boolean {
    const deadline = this.deadlines.get(id);
    if (deadline === undefined || deadline <= now) return false;
    this.hold(id, now + leaseMs);
    return true;
  }

  /** Whether this call freed the place: false for a second release, an unknown id, and a lease that ended by itself. */
  release(id: string, now: number): boolean {
    const deadline = this.deadlines.get(id);
    return this.deadlines.delete(id) && deadline! > now;
  }

  /** How many live. */
  liveAt(now: number): number {
    let live = 0;
    for (const deadline of this.deadlines.values()) if (deadline > now) live++;
    return live;
  }

  /** Those that live and end first, so many at most. */
  firstAt(most: number, now: number): string[] {
    const entries = this.size > most ? this.inOrder() : [...this.deadlines];
    const live = entries.filter(([, deadline]) => deadline > now);
    return live.slice(0, most).map(([id]) => id);
  }

  private inOrder(): [string, number][] {
    return [...this.deadlines].sort(([, a], [, b]) => a - b);
  }

  private lookAgain(): void {
    this.first = null;
    this.latest = Number.NEGATIVE_INFINITY;
    for (const [id, deadline] of this.deadlines) this.note(id, deadline);
  }

  private note(id: string, deadline: number): void {
    if (this.first === null || deadline < this.first.deadline) this.first = { id, deadline };
    this.latest = Math.max(this.latest, deadline);
  }
}
