import { newId } from "#libs/ledger";
import { OPERATOR } from "#libs/webhooks";
import { Prisma, type PrismaClient } from "../record/client.js";
import { askOf, type KeptDenial } from "./kept.js";
import type { DenialRow } from "./rows.js";
import type { Tallied } from "./tallied.js";

/**
 * Writes rows of the list of denials and, of tenants whose denials anybody is told of, what `counted` has for webhooks: all of
 * it or nothing. In one order in every process, so that none waits for another in a circle.
 */
export async function writeDenials(
  record: PrismaClient,
  rows: readonly DenialRow[],
  counted: readonly Tallied[],
): Promise<void> {
  const inTime = rows.toSorted((a, b) => a.denials.firstAt - b.denials.firstAt);
  const listed = JSON.stringify(inTime.map(listedOf));
  const told = JSON.stringify(counted.filter(({ observed }) => !observed).map(toldOf));
  await record.$executeRaw(Prisma.sql`
    WITH listed AS (
      INSERT INTO denials AS d (tenant_id, id, minute, kind, scope_id, unit, code, service, job_id, observed,
        count, first_at, last_at, last, ledger_seq)
      SELECT n."tenantId", n.id, n.minute, n.kind, n."scopeId", n.unit, n.code, n.service, n."jobId", n.observed,
        n.count, n."firstAt", n."lastAt", n.last, (SELECT last_value FROM ledger_entries_seq_seq)
      FROM json_to_recordset(${listed}::json) AS n("tenantId" text, id text, minute timestamptz, kind text,
        "scopeId" text, unit text, code text, service text, "jobId" text, observed bool, count bigint,
        "firstAt" timestamptz, "lastAt" timestamptz, last json)
      ORDER BY 1, 3, 4, 5, 6, 7, 8, 9, 10
      ON CONFLICT (tenant_id, minute, kind, scope_id, unit, code, service, job_id, observed) DO UPDATE
      SET count = d.count + excluded.count,
        first_at = least(d.first_at, excluded.first_at),
        last_at = greatest(d.last_at, excluded.last_at),
        last = CASE WHEN excluded.last_at >= d.last_at THEN excluded.last ELSE d.last END,
        ledger_seq = greatest(d.ledger_seq, excluded.ledger_seq)
    )
    INSERT INTO webhook_denials AS d (tenant_id, kind, scope_id, unit, count, first_at, last_at, last)
    SELECT n."tenantId", n.kind, n."scopeId", n.unit, sum(n.count), holdfast_now(), holdfast_now(),
      (array_agg(n.last ORDER BY n.at DESC))[1]
    FROM json_to_recordset(${told}::json)
      AS n("tenantId" text, kind text, "scopeId" text, unit text, count bigint, at float8, last json)
    WHERE EXISTS (
      SELECT FROM webhooks w WHERE w.tenant_id IN (n."tenantId", ${OPERATOR}) AND w.enabled
        AND 'allowance.denied' = ANY (w.events))
    GROUP BY 1, 2, 3, 4
    ORDER BY 1, 2, 3, 4
    ON CONFLICT (tenant_id, kind, scope_id, unit) DO UPDATE
    SET count = d.count + excluded.count, last_at = excluded.last_at, last = excluded.last`);
}

function listedOf({ minute, denials }: DenialRow): object {
  const { command, grounds, firstAt, ...alike } = denials;
  const last: KeptDenial = { ...grounds, ...askOf(command) };
  return { id: newId("dny"), minute: time(minute), ...alike, firstAt: time(firstAt), lastAt: time(grounds.at), last };
}

function toldOf({ tenantId, kind, scopeId, unit, count, grounds }: Tallied): object {
  return { tenantId, kind, scopeId, unit, count, at: grounds.at, last: grounds.denial };
}

function time(at: number): string {
  return new Date(at).toISOString();
}
