import { limitView, parseBalanceKey, type EntryDetail, type SettingsChange } from "#libs/ledger";
import type * as rows from "../../../prisma/generated/client.js";
import { listed, MOST_SCANNED, pageOf, type Listed } from "../lists/page.js";
import type { PrismaClient } from "../record/client.js";
import type { EntriesQuery } from "./entries.dto.js";

/**
 * The entries of a tenant, oldest first or newest first. Entries that come meanwhile stand behind all pages of the one order
 * and before all of the other: no page skips or repeats one.
 */
export async function listEntries(record: PrismaClient, tenantId: string, query: EntriesQuery): Promise<Listed> {
  const newest = query.order === "newest";
  const page = pageOf(`ledger ${newest ? "newest " : ""}${tenantId}`, query);
  const after = page.after === undefined ? {} : { [newest ? "lt" : "gt"]: page.after };
  const orderBy = { seq: newest ? "desc" : "asc" } as const;
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
    where: { tenantId, seq: { ...after, ...(end && { [newest ? "gte" : "lte"]: end.seq }) }, ...filters },
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
  const { tenantId, seq, type, at, unit, reserved, spent, keys, reservationId, jobId, userName, detail } = entry;
  return {
    id: String(seq),
    type,
    at: at.toISOString(),
    ...(unit !== null && { unit }),
    reserved: Number(reserved),
    spent: Number(spent),
    scopes: keys.map((key) => scopeOf(tenantId, key)),
    ...(reservationId !== null && { reservationId }),
    ...(jobId !== null && { jobId }),
    ...(userName !== null && { user: userName }),
    ...(detail !== null && { detail: detailView(detail as unknown as EntryDetail | SettingsChange) }),
  };
}

function scopeOf(bookId: string, key: string): object {
  const { scope, window } = parseBalanceKey(bookId, key);
  return { ...scope, window };
}

function detailView(detail: EntryDetail | SettingsChange): object {
  if ("service" in detail) return settingsView(detail);
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

function settingsView({ service, before, after, actor, reason }: SettingsChange): object {
  return {
    service,
    ...(before && { before }),
    ...(after && { after }),
    actor,
    ...(reason !== null && { reason }),
  };
}
