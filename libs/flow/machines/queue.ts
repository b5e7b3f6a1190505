/**
 * Who waits at a service, and whose turn it is. Tenants take turns; within a tenant the first to come is the first to go.
 *
 * The head holds the line: while the service has no room for it, nobody behind it is let past, or small callers could keep
 * a big one waiting for ever. A tenant that its own limits hold back rests meanwhile and costs the others nothing.
 */
export interface Queue {
  /** Tenants that have somebody waiting, the next first; each with its waiters, the first to come first. */
  readonly lines: Map<string, Waiter[]>;
  /** Tenants whose own limits refused: until when they are passed over, milliseconds. */
  readonly resting: Map<string, number>;
  /** Processes that hold waiters: until when each is believed to live, milliseconds. */
  readonly alive: Map<string, number>;
}

export interface Waiter {
  readonly id: string;
  readonly tenant: string;
  readonly process: string;
}

export interface QueueLimits {
  /** Most that wait at once, over all processes; 0 means nobody may wait. */
  readonly max: number;
  /** Longest that a caller may wait. */
  readonly maxWaitMs: number;
}

/** A process says that it lives more often than this; the waiters of one that was silent for so long are let go. */
export const SILENCE_MS = 5_000;

/** Longest rest; a longer one shows that the clock was set back. */
export const LONGEST_REST_MS = 60_000;

export function newQueue(): Queue {
  return { lines: new Map(), resting: new Map(), alive: new Map() };
}

export interface QueuePlaces {
  readonly max: number;
  /** Of them, for the waiter's tenant. */
  readonly tenantMax: number;
}

/** Null if there was a place, else who has none left. */
export function enter(queue: Queue, waiter: Waiter, places: QueuePlaces, now: number): "tenant" | "service" | null {
  const line = queue.lines.get(waiter.tenant) ?? [];
  if (waitingIn(queue) >= places.max) return "service";
  if (line.length >= places.tenantMax) return "tenant";
  line.push(waiter);
  queue.lines.set(waiter.tenant, line);
  stayAlive(queue, waiter.process, now);
  return null;
}

/** Says that the process lives. False if it was not believed to: its waiters may have been let go. */
export function stayAlive(queue: Queue, process: string, now: number): boolean {
  for (const [name, until] of queue.alive) if (until <= now) queue.alive.delete(name);
  const known = queue.alive.has(process);
  queue.alive.set(process, now + SILENCE_MS);
  return known;
}

/** Whose turn it is; null if nobody waits or all who wait rest. Lets go, on its way, the waiters of silent processes. */
export function head(queue: Queue, now: number): Waiter | null {
  for (const tenant of [...queue.lines.keys()]) {
    if (rests(queue, tenant, now)) continue;
    for (let first = queue.lines.get(tenant)?.[0]; first; first = queue.lines.get(tenant)?.[0]) {
      if ((queue.alive.get(first.process) ?? 0) > now) return first;
      leave(queue, first);
    }
  }
  return null;
}

export function isWaiting(queue: Queue, { tenant, id }: Waiter): boolean {
  return (queue.lines.get(tenant) ?? []).some((waiter) => waiter.id === id);
}

/** The waiter got its permit: its tenant's next turn comes after everybody else's. */
export function serve(queue: Queue, waiter: Waiter): void {
  leave(queue, waiter);
  const line = queue.lines.get(waiter.tenant);
  if (!line) return;
  queue.lines.delete(waiter.tenant);
  queue.lines.set(waiter.tenant, line);
}

/** Goes without a trace: nobody's turn changes by it. False if it did not wait. */
export function leave(queue: Queue, { tenant, id }: Waiter): boolean {
  const line = queue.lines.get(tenant) ?? [];
  const place = line.findIndex((waiter) => waiter.id === id);
  if (place === -1) return false;
  line.splice(place, 1);
  if (line.length === 0) {
    queue.lines.delete(tenant);
    queue.resting.delete(tenant);
  }
  return true;
}

/** Passes the tenant over for so long, or until it is roused. */
export function rest(queue: Queue, tenant: string, waitMs: number, now: number): void {
  queue.resting.set(tenant, now + Math.min(waitMs, LONGEST_REST_MS));
}

/** Something of the tenant's own was freed. */
export function rouse(queue: Queue, tenant: string): void {
  queue.resting.delete(tenant);
}

function rests(queue: Queue, tenant: string, now: number): boolean {
  const until = queue.resting.get(tenant) ?? 0;
  return until > now && until <= now + LONGEST_REST_MS;
}

export function waitingIn(queue: Queue): number {
  let waiting = 0;
  for (const line of queue.lines.values()) waiting += line.length;
  return waiting;
}
