/** Concurrency by leases: each attempt in flight has a place with a deadline of its own. Permit id → deadline, milliseconds. */
export type Leases = Map<string, number>;

/**
 * Lets go what is overdue: nobody else has to notice that a holder died. A deadline further off than a lease is long
 * shows that the clock was set back; it is drawn in, so that a lost holder does not keep its place until the old time.
 */
export function endOverdue(leases: Leases, leaseMs: number, now: number): void {
  for (const [id, deadline] of leases) {
    if (deadline <= now) leases.delete(id);
    else if (deadline > now + leaseMs) leases.set(id, now + leaseMs);
  }
}

/**
 * Milliseconds until a place is free if no holder renews: 0 if one is, null if there never will be. Call `endOverdue`
 * first.
 */
export function waitForPlace(leases: Leases, limit: number, now: number): number | null {
  if (limit < 1) return null;
  if (leases.size < limit) return 0;
  const deadlines = [...leases.values()].sort((a, b) => a - b);
  return deadlines[leases.size - limit]! - now;
}

/** Moves the deadline of a lease that still lives; one that ended stays ended. */
export function heartbeat(leases: Leases, id: string, leaseMs: number, now: number): boolean {
  const deadline = leases.get(id);
  if (deadline === undefined || deadline <= now) return false;
  leases.set(id, now + leaseMs);
  return true;
}

/** Whether this call freed the place: false for a second release, an unknown id, and a lease that ended by itself. */
export function release(leases: Leases, id: string, now: number): boolean {
  const deadline = leases.get(id);
  return leases.delete(id) && deadline! > now;
}
