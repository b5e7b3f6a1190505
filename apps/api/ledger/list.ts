import { limitView, parseBalanceKey, type EntryDetail } from "#libs/ledger";
import type * as rows from "../../../prisma/generated/client.js";
import { listed, MOST_SCANNED, pageOf, type Listed } from "../lists/page.js";
import type { PrismaClient } from "../record/client.js";
import type { EntriesQuery } from "./entries.dto.js";

/** The entries of a tenant, oldest first. */
export async function listEntries(record: PrismaClient, tenantId: string, query: EntriesQuery): Promise<Listed> {
  const page = pageOf(`ledger ${tenantId}`, query);
  const after = page.after === undefined ? {} : { gt: page.after };
  const orderBy = { seq: "asc" } as const;
  const filters = filtersOf(query);
  const end =
    Object.keys(filters).length === 0
      ? null
      : await record.ledgerEntry.findFirst({
          where: { tenantId, seq: after },
          orderBy,
          skip: MOST_SCANNED,
          select: { seq: true },
        });
  const entries = await record.ledgerEntry.findMany({
    where: { tenantId, seq: { ...after, ...(end && { lte: end.seq }) }, ...filters },
    orderBy,
    take: page.limit + 1,
  });
  return listed(page, entries, entryView, end?.seq);
}

function filtersOf({ jobId, reservationId, user, unit, type }: EntriesQuery) {
  return {
    ...(jobId !== undefined && { jobId }),
    ...(reservationId !== undefined && { reservationId }),
    ...(user !== undefined && { userName: user }),
    ...(unit !== undefined && { unit }),
    ...(type !== undefined && { type }),
  };
}

export function entryView(entry: rows.LedgerEntry): object {
  const { seq, type, at, unit, reserved, spent, keys, reservationId, jobId, userName, detail } = entry;
  return {
    id: String(seq),
    type,
    at: at.toISOString(),
    unit,
    reserved: Number(reserved),
    spent: Number(spent),
    scopes: keys.map(scopeOf),
    ...(reservationId !== null && { reservationId }),
    ...(jobId !== null && { jobId }),
    ...(userName !== null && { user: userName }),
    ...(detail !== null && { detail: detailView(detail as unknown as EntryDetail) }),
  };
}

function scopeOf(key: string): object {
  const { scope, window } = parseBalanceKey(key);
  return { ...scope, window };
}

function detailView(detail: EntryDetail): object {
  if (!("scope" in detail)) return detail;
  const { scope, from, to, actor, reason } = detail;
  return {
    scope,
    ...(from !== undefined && { from: limitView(from) }),
    to: limitView(to),
    actor,
    ...(reason !== null && { reason }),
  };
}
