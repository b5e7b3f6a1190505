/**
 * Concurrency by leases: each attempt in flight has a place with a deadline of its own, in milliseconds. They stand as they
 * end, which is as they were taken unless the clock was set back, so that a permit costs the same beside a hundred
 * thousand others.
 */
export class Leases {
  private deadlines = new Map<string, number>();
  /** No lease ends after it. */
  private latest = Number.NEGATIVE_INFINITY;
  private inOrder = true;

  get size(): number {
    return this.deadlines.size;
  }

  hold(id: string, deadline: number): void {
    this.deadlines.delete(id);
    this.deadlines.set(id, deadline);
    this.inOrder &&= deadline >= this.latest;
    this.latest = Math.max(this.latest, deadline);
  }

  /**
   * Lets go what is overdue: nobody else has to notice that a holder died. A deadline further off than a lease is long
   * shows that the clock was set back; it is drawn in, so that a lost holder does not keep its place until the old time.
   */
  endOverdue(leaseMs: number, now: number): void {
    for (const [id, deadline] of this.ordered()) {
      if (deadline > now) break;
      this.deadlines.delete(id);
    }
    const last = now + leaseMs;
    if (this.latest <= last) return;
    for (const [id, deadline] of this.deadlines) if (deadline > last) this.deadlines.set(id, last);
    this.latest = last;
  }

  /**
   * Milliseconds until a place is free if no holder renews: 0 if one is, null if there never will be. Call `endOverdue`
   * first.
   */
  waitForPlace(limit: number, now: number): number | null {
    if (limit < 1) return null;
    let over = this.size - limit;
    if (over < 0) return 0;
    for (const deadline of this.ordered().values()) if (over-- === 0) return deadline - now;
    return null;
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
    const first: string[] = [];
    for (const [id, deadline] of this.ordered()) {
      if (first.length >= most) break;
      if (deadline > now) first.push(id);
    }
    return first;
  }

  private ordered(): ReadonlyMap<string, number> {
    if (!this.inOrder) this.deadlines = new Map([...this.deadlines].sort(([, a], [, b]) => a - b));
    this.inOrder = true;
    return this.deadlines;
  }
}
