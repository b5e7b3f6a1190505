import type { TenantBook } from "../book.js";
import { done, type Extend, type Outcome } from "../commands.js";
import type { Instant } from "../entities.js";
import { reservationView } from "../views.js";
import { findReservation, notFound, refuseUnlessOpen } from "./close.js";
import { refuseNewWork } from "./guards.js";

/** The longest life of a reservation, by ttl or by extension: 30 days in milliseconds. */
export const MAX_LIFE_MS = 2_592_000_000;

/** Moves the deadline to now + ttl, never earlier than it was and never past the longest life. */
export function extend(book: TenantBook, command: Extend, now: Instant): Outcome {
  const reservation = findReservation(book, command.reservationId);
  if (!reservation) return notFound();
  const refusal = refuseUnlessOpen(reservation, now) ?? refuseNewWork(book, book.jobs.find(reservation.jobId), "job");
  if (refusal) return refusal;
  const deadline = Math.min(now + command.ttlMs, reservation.createdAt + MAX_LIFE_MS);
  if (deadline > reservation.expiresAt) {
    reservation.expiresAt = deadline;
    book.changes.reservations.add(reservation);
  }
  return done(reservationView(reservation));
}
