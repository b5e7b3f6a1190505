import type { Command } from "#libs/ledger";
import type { WholeBooks } from "../support/book.js";

/**
 * The ids of the books that have an order of their own among these commands: what looks at the service has one with all
 * else that does.
 */
export function apart(books: WholeBooks, serviceId: string, commands: readonly Command[]): string[][] {
  const looking = commands.filter((command) => {
    if (command.type === "reserve") return command.service !== null;
    if (command.type === "configure") return command.change.change === "share";
    const reservations = books.get(command.tenantId)!.reservations;
    return "reservationId" in command && (reservations.find(command.reservationId)?.service ?? null) !== null;
  });
  const together = new Set([serviceId, ...looking.map(({ tenantId }) => tenantId)]);
  return [[...together], ...[...books.keys()].filter((id) => !together.has(id)).map((id) => [id])];
}
