import type { Scope, ScopeKind } from "#libs/plan";
import { serviceOfBook } from "./service-book.js";

/** One limit and what was taken of it: a scope, a unit and a period window. Amounts are integers of the unit. */
export interface Balance {
  /** See {@link balanceKey}. */
  readonly key: string;
  readonly scope: Scope;
  readonly unit: string;
  /** `none`, or the id of a period window (see window.ts). */
  readonly window: string;
  /** null: unlimited. */
  limit: number | null;
  reserved: number;
  spent: number;
  /** Grows with every change; 0 for a row that was never written. */
  version: number;
}

/**
 * The one name of a balance within its book, the same in the record, in Redis and in the reducer:
 * `<kind>:<encoded id>:<unit>:<window>`. Kinds and units contain no colon and the id is percent-encoded, so two
 * different balances can never meet on one key; only the window, which comes last, may contain colons.
 */
export function balanceKey(scope: Scope, unit: string, window: string): string {
  return `${scope.kind}:${encodeURIComponent(scope.id)}:${unit}:${window}`;
}

/** What a key names in a book: at a service, the book of a tenant has the tenant's share. */
export function parseBalanceKey(bookId: string, key: string): { scope: Scope; unit: string; window: string } {
  const [kind, id, unit, ...window] = key.split(":");
  if (kind === undefined || id === undefined || unit === undefined || window.length === 0) {
    throw new Error(`not a balance key: ${key}`);
  }
  const scope = { kind: kind as ScopeKind, id: decodeURIComponent(id) };
  const isShare = kind === "service" && serviceOfBook(bookId) === null;
  return { scope: isShare ? { ...scope, tenantId: bookId } : scope, unit, window: window.join(":") };
}

/** The unit of a balance key, without decoding the rest. */
export function unitOfKey(key: string): string {
  const idEnds = key.indexOf(":", key.indexOf(":") + 1);
  return key.slice(idEnds + 1, key.indexOf(":", idEnds + 1));
}
