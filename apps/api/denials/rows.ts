import { keyOf, TenantTally, together, type Tallied } from "./tallied.js";

const MINUTE_MS = 60_000;
/** Rows of one tenant that one process begins within a minute, besides those of what it counts together. */
const MOST_ROWS = 100;

export interface DenialRow {
  /** Its beginning, milliseconds since 1970. */
  readonly minute: number;
  readonly denials: Tallied;
}

/**
 * Keeps the rows few, so that a storm over many jobs or users costs little: the busiest of a tenant are told apart, and
 * whatever goes beyond a number of rows in a minute is counted together.
 */
export class RowsOfMinute {
  private minute = 0;
  /** What has a row of its own in this minute, by tenant. */
  private readonly begun = new Map<string, Set<string>>();

  /** The rows of what was counted, a list for each tenant. */
  of(counted: readonly (readonly Tallied[])[]): DenialRow[] {
    const minute = Math.floor(newest(counted.flat()) / MINUTE_MS) * MINUTE_MS;
    if (minute !== this.minute) this.begun.clear();
    this.minute = minute;
    return counted.flatMap((those) => this.rowsOf(those)).map((denials) => ({ minute, denials }));
  }

  private rowsOf(those: readonly Tallied[]): Tallied[] {
    const { tenantId } = those[0]!;
    const begun = this.begun.get(tenantId) ?? new Set();
    this.begun.set(tenantId, begun);
    const rows = new TenantTally();
    for (const one of those.toSorted((a, b) => b.count - a.count)) {
      const key = keyOf(one);
      const isApart = begun.has(key) || begun.size < MOST_ROWS;
      if (isApart) begun.add(key);
      // A copy, since what could not be written is counted on.
      rows.join(isApart ? { ...one } : together(one));
    }
    return [...rows];
  }
}

function newest(counted: readonly Tallied[]): number {
  return counted.reduce((latest, { grounds }) => Math.max(latest, grounds.at), 0);
}
