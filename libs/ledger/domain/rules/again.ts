import { lookUp } from "#libs/plan";
import { balancesAt, tenantPlace } from "../binding.js";
import type { TenantBook } from "../book.js";
import type { Command } from "../commands.js";
import type { Instant } from "../entities.js";
import { holdersOf } from "./holders.js";

/**
 * Looks at what a command under a key may have given room at, for one that is repeated: whoever is told again must find
 * that room, though the process that gave it may have died before it told the copies.
 */
export function lookAgain(book: TenantBook, command: Command, now: Instant): void {
  if (command.type === "charge") {
    const reservation = book.reservations.find(command.reservationId);
    if (reservation) holdersOf(book, reservation);
  }
  if (command.type !== "configure" || !("unit" in command.change) || !book.tenant) return;
  const { unit } = command.change;
  if (lookUp(book.settings.allowances, unit)) balancesAt(book, [tenantPlace(book.tenantId, book.settings, unit, now)]);
}
