import { MAX_AMOUNT, type Amounts } from "#libs/plan";
import type { TenantBook } from "../book.js";
import { done, refused, type Expire, type FieldError, type Outcome, type Release, type Settle } from "../commands.js";
import type { Instant, Reservation } from "../entities.js";
import { reservationView } from "../views.js";
import { holdersOf, moveHeld, type Part } from "./holders.js";

/** Closes a reservation with what was really used, besides its charges. A fact: booked in full, also late, once. */
export function settle(book: TenantBook, command: Settle, now: Instant): Outcome {
  const reservation = findReservation(book, command.reservationId);
  if (!reservation) return notFound();
  const holders = holdersOf(book, reservation);
  const refusal = checkActual(reservation, command.actual);
  if (refusal) return refusal;
  if (reservation.state === "settled") {
    if (sameAmounts(reservation.actual!, command.actual)) return done(reservationView(reservation));
    return refused("already_settled", "The reservation was settled with other amounts.");
  }
  if (reservation.state === "released") return refused("already_released", "The reservation was released.");

  const beyond = refuseBeyondIntegers(holders, command.actual);
  if (beyond) return beyond;
  const late = reservation.state === "expired" || isOverdue(reservation, now);
  closeWith(book, reservation, holders, { state: "settled", type: "settle", actual: command.actual, late, now });
  return done(reservationView(reservation));
}

/** Closes a reservation without more; what was charged stays spent. */
export function release(book: TenantBook, command: Release, now: Instant): Outcome {
  const reservation = findReservation(book, command.reservationId);
  if (!reservation) return notFound();
  const holders = holdersOf(book, reservation);
  if (reservation.state === "released") return done(reservationView(reservation));
  const refusal = refuseUnlessOpen(reservation, now);
  if (refusal) return refusal;
  closeWith(book, reservation, holders, { state: "released", type: "release", actual: null, late: false, now });
  return done(reservationView(reservation));
}

/** Closes a reservation whose deadline has passed. Level-triggered: whatever is not overdue and open is left alone. */
export function expire(book: TenantBook, command: Expire, now: Instant): Outcome {
  const reservation = book.reservations.find(command.reservationId);
  if (!reservation) return notFound();
  if (reservation.state !== "open" || !isOverdue(reservation, now)) return done({ expired: false });
  const holders = holdersOf(book, reservation);
  closeWith(book, reservation, holders, { state: "expired", type: "expire", actual: null, late: false, now });
  return done({ expired: true });
}

export function isOverdue(reservation: Reservation, now: Instant): boolean {
  return reservation.expiresAt <= now;
}

export function findReservation(book: TenantBook, id: string): Reservation | null {
  if (!book.tenant || book.tenant.state === "deleted") return null;
  return book.reservations.find(id);
}

export function notFound(): Outcome {
  return refused("not_found", "There is no such reservation.");
}

/** A deadline binds from its instant on, whether or not the sweep has come by. */
export function refuseUnlessOpen(reservation: Reservation, now: Instant): Outcome | null {
  switch (reservation.state) {
    case "settled":
      return refused("already_settled", "The reservation was settled.");
    case "released":
      return refused("already_released", "The reservation was released.");
    case "expired":
      return refused("reservation_expired", "The reservation has expired.");
    case "open":
      return isOverdue(reservation, now) ? refused("reservation_expired", "The reservation has expired.") : null;
  }
}

interface Closing {
  readonly state: "settled" | "released" | "expired";
  readonly type: "settle" | "release" | "expire";
  readonly actual: Amounts | null;
  readonly late: boolean;
  readonly now: Instant;
}

function closeWith(
  book: TenantBook,
  reservation: Reservation,
  holders: readonly Part[],
  { state, type, actual, late, now }: Closing,
): void {
  const detail = late ? ({ late: true } as const) : null;
  moveHeld(book, reservation, holders, { type, freed: reservation.held, spent: actual, detail, now });
  reservation.state = state;
  reservation.actual = actual;
  reservation.late = late;
  reservation.closedAt = now;
}

/** Refuses amounts that are not of exactly the units that were reserved. */
export function checkActual({ reserved }: Reservation, actual: Amounts): Outcome | null {
  const errors: FieldError[] = [];
  for (const unit of Object.keys(reserved)) {
    if (!Object.hasOwn(actual, unit))
      errors.push({ pointer: `/actual/${unit}`, message: "must name every unit that was reserved" });
  }
  for (const unit of Object.keys(actual)) {
    if (!Object.hasOwn(reserved, unit)) errors.push({ pointer: `/actual/${unit}`, message: "was not reserved" });
  }
  if (errors.length === 0) return null;
  return refused("validation_failed", "The actual amounts are not those reserved.", { errors });
}

export function refuseBeyondIntegers(holders: readonly Part[], actual: Amounts): Outcome | null {
  const beyond = holders
    .flatMap(({ balances }) => balances)
    .find(({ unit, spent }) => spent > MAX_AMOUNT - actual[unit]!);
  if (!beyond) return null;
  const errors = [{ pointer: `/actual/${beyond.unit}`, message: "would take a balance beyond 9007199254740991" }];
  return refused("validation_failed", "A balance would pass 2^53 − 1.", { errors });
}

export function sameAmounts(a: Amounts, b: Amounts): boolean {
  return Object.keys(a).every((unit) => a[unit] === b[unit]);
}
