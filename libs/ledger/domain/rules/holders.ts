import type { Amounts } from "#libs/plan";
import type { Balance } from "../balance.js";
import { balancesAt, jobPlace } from "../binding.js";
import type { TenantBook } from "../book.js";
import type { EntryDetail, EntryType, Instant, Reservation } from "../entities.js";

/**
 * The balances that hold a reservation: those that it was taken from and, where its job has ended, those of the jobs
 * above, up to the first that is open, since an ended job has handed to its parent what it held and spent. Also for a
 * command that repeats what was done: whoever is told that room was given back must find it here, though the process that
 * gave it back may have died before it told the copies.
 */
export function holdersOf(book: TenantBook, reservation: Reservation): Balance[] {
  const own = book.balances.findAll(reservation.keys).map((balance, i) => {
    if (!balance) throw new Error(`reservation ${reservation.id} is held by a missing balance ${reservation.keys[i]}`);
    book.consulted.set(balance.key, balance);
    return balance;
  });
  return [...own, ...holdersAbove(book, reservation)];
}

function holdersAbove(book: TenantBook, { jobId, ancestors, reserved }: Reservation): Balance[] {
  if (ancestors.length === 0) return [];
  const jobs = book.jobs.findAll([jobId, ...ancestors]).map((job) => job!);
  const firstOpen = jobs.findIndex(({ state }) => state === "open");
  const handedTo = jobs.slice(1, firstOpen < 0 ? jobs.length : firstOpen + 1);
  const units = Object.keys(reserved);
  return balancesAt(
    book,
    handedTo.flatMap((job) => units.map((unit) => jobPlace(job, unit))),
  );
}

export interface Movement {
  readonly type: EntryType;
  /** What is not held any more, by unit. */
  readonly freed: Amounts;
  /** What is spent, by unit; null: nothing. */
  readonly spent: Amounts | null;
  readonly detail: EntryDetail | null;
  readonly now: Instant;
}

/** Moves what a reservation holds, the same at every balance that holds it, and books it. */
export function moveHeld(
  book: TenantBook,
  reservation: Reservation,
  balances: readonly Balance[],
  { type, freed, spent, detail, now }: Movement,
): void {
  const movement = (unit: string) => ({ reserved: 0 - freed[unit]!, spent: spent?.[unit] ?? 0 });
  for (const balance of balances) book.move(balance, { ...movement(balance.unit), bound: false });
  const held: Record<string, number> = {};
  for (const unit of Object.keys(reservation.reserved)) {
    const moved = movement(unit);
    held[unit] = reservation.held[unit]! + moved.reserved;
    if (moved.reserved === 0 && moved.spent === 0) continue;
    const keys = balances.filter((balance) => balance.unit === unit).map(({ key }) => key);
    const { id: reservationId, jobId, user } = reservation;
    book.addEntry({ type, at: now, unit, ...moved, keys, reservationId, jobId, user, detail });
  }
  reservation.held = held;
  book.changes.reservations.add(reservation);
}
