import type { Denial, Figures } from "#libs/plan";
import type { Balance } from "./balance.js";
import type { Instant } from "./entities.js";

/** One allowance that bound a request, with its figures at one moment. */
export interface BoundFigures extends Figures {
  /** The book, of the tenant or of the service, that its balance stands in. */
  readonly bookId: string;
  /** Of the balance in that book: it names scope, unit and window. */
  readonly key: string;
  /** What was asked of it. */
  readonly requested: number;
  /** When the record showed these figures. */
  readonly at: Instant;
}

/** What a denial, or under `observe` what would have been one, rests on. */
export interface Grounds {
  readonly denial: Denial;
  /** Copies may show what the record said up to two seconds before. */
  readonly source: "record" | "copies";
  /** When it was decided. */
  readonly at: Instant;
  readonly user: string | null;
  /** Every allowance that bound the request, narrowest scope first. */
  readonly figures: readonly BoundFigures[];
}

/** The figures of balances as they stand: a later decision on the same book changes the balances. */
export function figuresOf(
  bookId: string,
  balances: readonly Balance[],
  requested: (unit: string) => number,
  at: Instant,
): BoundFigures[] {
  return balances.map(({ key, unit, limit, reserved, spent }) => ({
    ...{ bookId, key, limit, reserved, spent },
    ...{ requested: requested(unit), at },
  }));
}
