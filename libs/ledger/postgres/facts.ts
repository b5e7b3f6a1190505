import type { Reservation } from "../domain/index.js";

/** What a reservation is from its beginning to its end; the rest of it says how it stands. */
export type ReservationFacts = Omit<
  Reservation,
  "state" | "held" | "charged" | "actual" | "late" | "expiresAt" | "closedAt"
>;

const MOST_KNOWN = 10_000;

/**
 * Facts of the reservations that this process made or read last. They name the service and the rows that belong to a
 * reservation, which then need not be sought through it. Whether it is there, and how it stands, the record alone says.
 */
export class KnownFacts {
  private readonly known = new Map<string, ReservationFacts>();

  constructor(private readonly most = MOST_KNOWN) {}

  find(tenantId: string, id: string): ReservationFacts | undefined {
    return this.known.get(`${tenantId}/${id}`);
  }

  /** Of a reservation that is committed. */
  learn(tenantId: string, facts: ReservationFacts): void {
    const name = `${tenantId}/${facts.id}`;
    this.known.delete(name);
    this.known.set(name, facts);
    if (this.known.size > this.most) this.known.delete(this.known.keys().next().value!);
  }
}
