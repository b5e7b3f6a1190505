/** Longest that a timer is set for, milliseconds: one of more than 2^31 − 1 fires at once. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** One caller that waits. It is woken at most once for each time that it waits, and never misses a wake in between. */
export class Seat {
  private woken = false;
  private wakeNow: (() => void) | undefined;

  constructor(readonly service: string) {}

  wake(): void {
    this.woken = true;
    this.wakeNow?.();
  }

  /** Returns when woken, after `ms`, or when the signal aborts: whichever comes first. */
  async wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.woken || signal?.aborted) return void (this.woken = false);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.min(ms, LONGEST_TIMER_MS));
      this.wakeNow = () => {
        clearTimeout(timer);
        resolve();
      };
      signal?.addEventListener("abort", this.wakeNow, { once: true });
    });
    if (this.wakeNow) signal?.removeEventListener("abort", this.wakeNow);
    this.wakeNow = undefined;
    this.woken = false;
  }
}

/** Those who wait in this process, by the id of the permit that they wait for. */
export class WaitingRoom {
  private readonly seats = new Map<string, Seat>();
  private emptied: (() => void) | undefined;
  private readonly byService = new Map<string, Set<Seat>>();

  sit(id: string, service: string): Seat {
    const seat = new Seat(service);
    this.seats.set(id, seat);
    const others = this.byService.get(service) ?? new Set();
    this.byService.set(service, others.add(seat));
    return seat;
  }

  rise(id: string): void {
    const seat = this.seats.get(id);
    if (!seat) return;
    this.seats.delete(id);
    const others = this.byService.get(seat.service)!;
    others.delete(seat);
    if (others.size === 0) this.byService.delete(seat.service);
    if (this.seats.size === 0) this.emptied?.();
  }

  /** False if nobody of that id waits here. */
  wake(id: string): boolean {
    const seat = this.seats.get(id);
    seat?.wake();
    return seat !== undefined;
  }

  /** All, or those of one service. */
  wakeAll(service?: string): void {
    const seats = service === undefined ? this.seats.values() : (this.byService.get(service) ?? []);
    for (const seat of seats) seat.wake();
  }

  /** Resolves when nobody waits any more. */
  async empty(): Promise<void> {
    if (this.seats.size > 0) await new Promise<void>((resolve) => (this.emptied = resolve));
  }

  get services(): string[] {
    return [...this.byService.keys()];
  }

  get size(): number {
    return this.seats.size;
  }
}
