import { PatternField } from "../validation/fields.js";
import { afterOf, cursorOf } from "./cursor.js";

const DEFAULT_LIMIT = 50;

/**
 * Rows that one request looks at where a filter leaves most of them out, so that a rare value in a long list cannot run
 * into a time-out: the page is then short, or empty, and its cursor leads on from there.
 */
export const MOST_SCANNED = 50_000;

/** The query parameters of every list. */
export class PageQuery {
  @PatternField(/^([1-9]|[1-9]\d|[1-4]\d\d|500)$/, "must be an integer from 1 to 500", {
    optional: true,
    schema: { type: "integer", minimum: 1, maximum: 500, default: DEFAULT_LIMIT },
    description: "The most rows of one page.",
  })
  limit?: string;

  // A cursor may name a user twice over, percent-encoded: of 200 characters that is some thousands.
  @PatternField(/^[A-Za-z0-9_-]{1,8000}$/, "is not a cursor of this list", {
    optional: true,
    schema: { type: "string" },
    description: "The `nextCursor` of the page before.",
  })
  cursor?: string;
}

export interface Page {
  readonly list: string;
  /** The most rows that the page shows. */
  readonly limit: number;
  /** The sequence number after which it begins. */
  readonly after: bigint | undefined;
}

/** PostgreSQL's identity columns are positive 64-bit numbers. */
const SEQ = /^[1-9]\d{0,17}$/;

/** `list` names the list and whose it is, so that a cursor of another one is refused. */
export function pageOf(list: string, { limit, cursor }: PageQuery): Page {
  const after = afterOf(list, cursor, SEQ);
  return { list, limit: limitOf(limit), after: after === undefined ? undefined : BigInt(after) };
}

export function limitOf(limit: string | undefined): number {
  return limit === undefined ? DEFAULT_LIMIT : Number(limit);
}

interface Numbered {
  readonly seq: bigint;
}

export interface Listed {
  readonly data: object[];
  readonly nextCursor: string | null;
}

/**
 * The answer of a list. `rows` were asked for with one more than the page shows, which tells whether there is a next
 * page. `scannedTo`: where a filtered search stopped before its end, the row that it came to.
 */
export function listed<Row extends Numbered>(
  { list, limit }: Page,
  rows: readonly Row[],
  view: (row: Row) => object,
  scannedTo?: bigint,
): Listed {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1)?.seq : scannedTo;
  return { data: shown.map(view), nextCursor: last === undefined ? null : cursorOf(list, String(last)) };
}
