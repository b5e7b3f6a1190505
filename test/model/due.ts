import { decide, type TenantBook } from "#libs/ledger";
import { reservationsIn } from "../support/book.js";
import { commandsOf } from "../support/commands.js";

/** What the reconciler does. */
export function decideWhatIsDue(book: TenantBook, now: number): void {
  const { tenantId } = book;
  for (const { id, state, expiresAt } of reservationsIn(book)) {
    if (state === "open" && expiresAt <= now) decide(book, commandsOf(tenantId).expire(id), now);
  }
  decide(book, { type: "openWindows", tenantId }, now);
}
