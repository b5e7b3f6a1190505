import type { BoundFigures } from "#libs/ledger";
import type * as rows from "../../../prisma/generated/client.js";
import { Prisma, type PrismaClient } from "../record/client.js";

/** Movements that are shown of one scope. */
const MOST_SHOWN = 20;
/** Entries of one ledger that are looked through for them, so that a scope that seldom moved cannot run into a time-out. */
const MOST_SEARCHED = 20_000;

export interface Before {
  /** How far the ledger was when the denial was written down. */
  readonly ledgerSeq: bigint;
  /** When it was decided. */
  readonly at: Date;
}

export interface Movements {
  /** Those of each balance, newest first, in the order of the balances. */
  readonly of: readonly (readonly rows.LedgerEntry[])[];
  /** How far back was looked; null: to the beginning. */
  readonly since: Date | null;
}

/**
 * The last movements of balances before a denial. `seenBy`: the tenant that asks, which sees its own work alone; null:
 * the operator, who sees all work at a service.
 */
export async function movementsBefore(
  record: PrismaClient,
  balances: readonly BoundFigures[],
  { ledgerSeq, at }: Before,
  seenBy: string | null,
): Promise<Movements> {
  const books = balances.map(({ bookId }) => bookId);
  const keys = balances.map(({ key }) => key);
  const [found, ends] = await Promise.all([
    record.$queryRaw<(rows.LedgerEntry & { place: bigint })[]>(Prisma.sql`
      SELECT asked.place, entry.*
      FROM unnest(${books}::text[], ${keys}::text[]) WITH ORDINALITY AS asked(book, key, place)
      CROSS JOIN LATERAL (${endOf(Prisma.sql`asked.book`, ledgerSeq)}) AS searched
      CROSS JOIN LATERAL (
        SELECT tenant_id AS "tenantId", seq, at, type, unit, reserved, spent, keys, reservation_id AS "reservationId",
          job_id AS "jobId", user_name AS "userName", detail
        FROM ledger_entries
        WHERE tenant_id = asked.book AND seq <= ${ledgerSeq} AND seq > searched.seq AND at <= ${at}
          AND keys @> ARRAY[asked.key]
          AND (${seenBy}::text IS NULL OR tenant_id = ${seenBy} OR detail ->> 'tenantId' = ${seenBy})
        ORDER BY seq DESC LIMIT ${MOST_SHOWN}
      ) AS entry
      ORDER BY asked.place, entry.seq DESC`),
    record.$queryRaw<{ at: Date }[]>(Prisma.sql`
      SELECT searched.at FROM unnest(${[...new Set(books)]}::text[]) AS asked(book)
      CROSS JOIN LATERAL (${endOf(Prisma.sql`asked.book`, ledgerSeq)}) AS searched
      WHERE searched.at IS NOT NULL ORDER BY searched.at DESC LIMIT 1`),
  ]);
  const of = balances.map((_, i) => found.filter(({ place }) => Number(place) === i + 1));
  return { of, since: ends[0]?.at ?? null };
}

/** The last entry that is not looked at any more; one numbered 0, of no time, where all are. */
function endOf(book: Prisma.Sql, ledgerSeq: bigint): Prisma.Sql {
  return Prisma.sql`
    (SELECT seq, at FROM ledger_entries WHERE tenant_id = ${book} AND seq <= ${ledgerSeq}
     ORDER BY seq DESC OFFSET ${MOST_SEARCHED} LIMIT 1)
    UNION ALL SELECT 0, NULL LIMIT 1`;
}
