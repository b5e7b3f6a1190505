import { MAX_AMOUNT, type Amounts } from "#libs/plan";
import { unitOfKey, type Balance } from "../balance.js";
import type { TenantBook } from "../book.js";
import { done, refused, type Expire, type FieldError, type Outcome, type Release, type Settle } from "../commands.js";
import type { EntryType, Instant, Reservation } from "../entities.js";
import { reservationView } from "../views.js";

/** Closes a reservation with what was really used. What is spent is a fact: booked in full, also late, once. */
export function settle(book: TenantBook, command: Settle, now: Instant): Outcome {
  const reservation = findReservation(book, command.reservationId);
  if (!reservation) return notFound();
  const balances = balancesOf(book, reservation);
  const errors = checkActual(reservation, command.actual);
  if (errors.length > 0) return refused("validation_failed", "The actual amounts are not those reserved.", { errors });
  if (reservation.state === "settled") {
    if (sameAmounts(reservation.actual!, command.actual)) return done(reservationView(reservation));
    return refused("already_settled", "The reservation was settled with other amounts.");
  }
  if (reservation.state === "released") return refused("already_released", "The reservation was released.");

  const beyond = balances.find(({ unit, spent }) => spent > MAX_AMOUNT - command.actual[unit]!);
  if (beyond) return refused("validation_failed", "A balance would pass 2^53 − 1.", { errors: beyondIntegers(beyond) });
  const late = reservation.state === "expired" || isOverdue(reservation, now);
  closeWith(book, reservation, { state: "settled", type: "settle", actual: command.actual, late, now });
  return done(reservationView(reservation));
}

/** Closes a reservation unused. */
export function release(book: TenantBook, command: Release, now: Instant): Outcome {
  const reservation = findReservation(book, command.reservationId);
  if (!reservation) return notFound();
  balancesOf(book, reservation);
  if (reservation.state === "released") return done(reservationView(reservation));
  const refusal = refuseUnlessOpen(reservation, now);
  if (refusal) return refusal;
  closeWith(book, reservation, { state: "released", type: "release", actual: null, late: false, now });
  return done(reservationView(reservation));
}

/** Closes a reservation whose deadline has passed. Level-triggered: whatever is not overdue and open is left alone. */
export function expire(book: TenantBook, command: Expire, now: Instant): Outcome {
  const reservation = book.reservations.find(command.reservationId);
  if (!reservation) return notFound();
  if (reservation.state !== "open" || !isOverdue(reservation, now)) return done({ expired: false });
  closeWith(book, reservation, { state: "expired", type: "expire", actual: null, late: false, now });
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
  readonly type: EntryType;
  readonly actual: Amounts | null;
  readonly late: boolean;
  readonly now: Instant;
}

function closeWith(book: TenantBook, reservation: Reservation, { state, type, actual, late, now }: Closing): void {
  const wasOpen = reservation.state === "open";
  const balances = balancesOf(book, reservation);
  const movement = (unit: string) => ({
    reserved: wasOpen ? -reservation.reserved[unit]! : 0,
    spent: actual?.[unit] ?? 0,
  });
  for (const balance of balances) book.move(balance, { ...movement(balance.unit), bound: false });
  for (const unit of Object.keys(reservation.reserved)) {
    const { reserved, spent } = movement(unit);
    if (reserved === 0 && spent === 0) continue;
    const keys = reservation.keys.filter((key) => unitOfKey(key) === unit);
    const { id: reservationId, jobId, user } = reservation;
    const detail = late ? ({ late: true } as const) : null;
    book.addEntry({ type, at: now, unit, reserved, spent, keys, reservationId, jobId, user, detail });
  }
  reservation.state = state;
  reservation.actual = actual;
  reservation.late = late;
  reservation.closedAt = now;
  book.changes.reservations.add(reservation);
}

/**
 * The balances that hold it. Also for a command that repeats what was done: whoever is told that room was given back must
 * find it here, though the process that gave it back may have died before it told the copies.
 */
function balancesOf(book: TenantBook, reservation: Reservation): Balance[] {
  return book.balances.findAll(reservation.keys).map((balance, i) => {
    if (!balance) throw new Error(`reservation ${reservation.id} is held by a missing balance ${reservation.keys[i]}`);
    book.consulted.set(balance.key, balance);
    return balance;
  });
}

function checkActual({ reserved }: Reservation, actual: Amounts): FieldError[] {
  const errors: FieldError[] = [];
  for (const unit of Object.keys(reserved)) {
    if (!Object.hasOwn(actual, unit))
      errors.push({ pointer: `/actual/${unit}`, message: "must name every unit that was reserved" });
  }
  for (const unit of Object.keys(actual)) {
    if (!Object.hasOwn(reserved, unit)) errors.push({ pointer: `/actual/${unit}`, message: "was not reserved" });
  }
  return errors;
}

function beyondIntegers({ unit }: Balance): FieldError[] {
  return [{ pointer: `/actual/${unit}`, message: "would take a balance beyond 9007199254740991" }];
}

function sameAmounts(a: Amounts, b: Amounts): boolean {
  return Object.keys(a).every((unit) => a[unit] === b[unit]);
}
