import { decide, type Command, type Outcome } from "#libs/ledger";
import type { WholeBooks } from "../support/book.js";
import { copiesOf } from "./shape.js";

/** A command that ran at the same time as others, and what came of it. */
export interface Given {
  readonly command: Command;
  /** What came of it, for whoever reads of a failure. */
  readonly text: string;
  /** True where it was denied for lack of allowance. */
  readonly isDenial: boolean;
  /** True where this outcome of the rules is what came of it. */
  says(outcome: Outcome): boolean;
}

/** The books after some order of the commands in which the rules say what came of each and the end holds; else null. */
export function inSomeOrder(
  books: WholeBooks,
  given: readonly Given[],
  now: number,
  holds: (end: WholeBooks) => boolean,
): WholeBooks | null {
  // A copy may be two seconds old when it denies: such a denial has no place in the order, and it changed nothing.
  const open = given.filter(({ isDenial }) => !isDenial);
  if (open.length === 0) return holds(books) ? books : null;
  for (const one of open) {
    const next = copiesOf(books);
    if (!one.says(decide(next.get(one.command.tenantId)!, one.command, now))) continue;
    const rest = open.filter((other) => other !== one);
    const end = inSomeOrder(next, rest, now, holds);
    if (end) return end;
  }
  return null;
}
