import { Problem } from "../problems/problem.js";
import type { Standings } from "./standing.js";

interface Reservation {
  readonly tenantId: string;
  readonly reservationId: string;
}

interface Watched extends Reservation {
  readonly waiting: Set<AbortController>;
}

/** How soon those who wait hear that their work has ended, milliseconds. */
const LOOK_MS = 1_000;
/** Reservations that are looked at in one go, so that the record is kept free for work; where more are waited for, in turns. */
const MOST_AT_ONCE = 1_000;

/**
 * Callers that wait must not learn only at their turn that their job, their reservation or their tenant admits nothing
 * any more: they would keep places in the queue from others. While anybody waits here, the record is asked once a second
 * for the reservations that are waited for, however many wait for each; wherever they ended, and also without Redis.
 */
export class Endings {
  private readonly watched = new Map<string, Watched>();
  private timer: NodeJS.Timeout | undefined;
  private looking = false;

  constructor(private readonly standings: Standings) {}

  /** Waits with a signal that aborts when the reservation grants nothing any more; its reason is the Problem that says so. */
  async watch<T>({ tenantId, reservationId }: Reservation, wait: (ended: AbortSignal) => Promise<T>): Promise<T> {
    const watched = this.watched.get(reservationId) ?? { tenantId, reservationId, waiting: new Set() };
    const own = new AbortController();
    this.watched.set(reservationId, watched);
    watched.waiting.add(own);
    this.timer ??= setInterval(() => void this.look(), LOOK_MS).unref();
    try {
      return await wait(own.signal);
    } finally {
      watched.waiting.delete(own);
      if (watched.waiting.size === 0) this.watched.delete(reservationId);
      if (this.watched.size === 0) this.stop();
    }
  }

  private async look(): Promise<void> {
    if (this.looking) return;
    this.looking = true;
    const next = [...this.watched].slice(0, MOST_AT_ONCE);
    for (const [id, watched] of next) {
      this.watched.delete(id);
      this.watched.set(id, watched);
    }
    await Promise.all(next.map(([, watched]) => this.lookAt(watched)));
    this.looking = false;
  }

  private async lookAt({ tenantId, reservationId, waiting }: Watched): Promise<void> {
    try {
      await this.standings.of({ tenantId, reservationId, child: 1 });
    } catch (error) {
      // What ended for one child did not for the others; and a record that does not answer ends nothing.
      if (!(error instanceof Problem) || error.code === "attempts_exhausted") return;
      for (const each of waiting) each.abort(error);
    }
  }

  private stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
