import type { Amounts } from "#libs/plan";
import type { Balance } from "../balance.js";
import { balancesAt, jobPlace } from "../binding.js";
import type { TenantBook } from "../book.js";
import type { ChargeDetail, ClosingDetail, EntryType, Instant, LedgerEntry, Reservation } from "../entities.js";

/** Balances that a reservation is held by, and the book that they stand in. */
export interface Part {
  readonly book: TenantBook;
  readonly balances: readonly Balance[];
}

/**
 * The balances that hold a reservation: those that it was taken from and, where its job has ended, those of the jobs
 * above, up to the first that is open, since an ended job has handed to its parent what it held and spent; first those of
 * the tenant, then those of the service. Also for a
 * command that repeats what was done: whoever is told that room was given back must find it here, though the process that
 * gave it back may have died before it told the copies.
 */
export function holdersOf(book: TenantBook, reservation: Reservation): Part[] {
  const { id, keys, service, serviceKeys } = reservation;
  const own = { book, balances: [...heldBy(book, id, keys), ...holdersAbove(book, reservation)] };
  if (service === null || serviceKeys.length === 0) return [own];
  const at = book.service(service);
  if (!at) throw new Error(`reservation ${id} is held by a missing service ${service}`);
  return [own, { book: at, balances: heldBy(at, id, serviceKeys) }];
}

function heldBy(book: TenantBook, id: string, keys: readonly string[]): Balance[] {
  return book.balances.findAll(keys).map((balance, i) => {
    if (!balance) throw new Error(`reservation ${id} is held by a missing balance ${keys[i]}`);
    book.consulted.set(balance.key, balance);
    return balance;
  });
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
  readonly detail: ClosingDetail | ChargeDetail | null;
  readonly now: Instant;
}

/** Moves what a reservation holds, the same at every balance that holds it, and books it. */
export function moveHeld(
  book: TenantBook,
  reservation: Reservation,
  parts: readonly Part[],
  { type, freed, spent, detail, now }: Movement,
): void {
  const spentOf = (unit: string) => spent?.[unit] ?? 0;
  for (const part of parts) {
    for (const balance of part.balances) {
      const { unit } = balance;
      part.book.move(balance, { reserved: 0 - freed[unit]!, spent: spentOf(unit), bound: false });
    }
  }
  const held: Record<string, number> = {};
  for (const unit of Object.keys(reservation.reserved)) {
    const moved = { type, at: now, unit, reserved: 0 - freed[unit]!, spent: spentOf(unit), detail };
    held[unit] = reservation.held[unit]! + moved.reserved;
    if (moved.reserved !== 0 || moved.spent !== 0) bookMovement(book, reservation, parts, moved);
  }
  reservation.held = held;
  book.changes.reservations.add(reservation);
}

/** Journals one movement in each book that it moved: in the tenant's, and in the service's with whose work it was. */
export function bookMovement(
  book: TenantBook,
  { id: reservationId, jobId, user }: Reservation,
  parts: readonly Part[],
  moved: Pick<LedgerEntry, "type" | "at" | "unit" | "reserved" | "spent"> & Pick<Movement, "detail">,
): void {
  const { type, at, unit, reserved, spent } = moved;
  for (const part of parts) {
    const keys = part.balances.filter((balance) => balance.unit === unit).map(({ key }) => key);
    if (keys.length === 0) continue;
    const detail = part.book === book ? moved.detail : { ...moved.detail, tenantId: book.tenantId };
    // Named one by one: copies of whole objects are a tenth of what a charge costs.
    part.book.addEntry({ type, at, unit, reserved, spent, keys, reservationId, jobId, user, detail });
  }
}
