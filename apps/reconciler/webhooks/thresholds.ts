import type pg from "pg";
import { parseBalanceKey } from "#libs/ledger";
import { OPERATOR } from "#libs/webhooks";
import type { Look } from "./looks.js";
import { addEvent, inTransaction } from "./outbox.js";

/** Parts of a limit at which its spending is told, percent. */
const THRESHOLDS = [50, 80, 100];
const PAGE = 500;
/** The subject of how far a tenant was looked at; those of its balances begin with the other. */
const SEEN = "seen";
const LEVEL = "level:";

/** Tenants of which a webhook wants to know and whose entries or settings have moved since they were looked at. */
const MOVED = `
  SELECT t.id, m.mark FROM tenants t
  CROSS JOIN LATERAL (
    SELECT t.config_version || '.' || coalesce(max(seq), 0) AS mark FROM ledger_entries e WHERE e.tenant_id = t.id) m
  LEFT JOIN webhook_told s ON s.tenant_id = t.id AND s.subject = '${SEEN}'
  WHERE t.id > $1 AND t.state <> 'deleted' AND s.state IS DISTINCT FROM m.mark
    AND EXISTS (SELECT FROM webhooks w WHERE w.tenant_id IN (t.id, '${OPERATOR}') AND w.enabled
      AND 'allowance.threshold' = ANY (w.events))
  ORDER BY t.id LIMIT ${PAGE}`;

const MARK = `
  INSERT INTO webhook_told (tenant_id, subject, state) VALUES ($1, '${SEEN}', $2)
  ON CONFLICT (tenant_id, subject) DO UPDATE SET state = excluded.state`;

/** Windows that are over are left out, a while after their end, so that what was spent at the last moment is told. */
const CHANGED = `
  WITH standing AS (
    SELECT b.key, b.limit_amount, b.spent, b.reserved, coalesce(told.state::int, 0) AS told,
      (SELECT coalesce(max(p), 0) FROM unnest($2::int[]) AS p WHERE b.spent * 100 >= b.limit_amount * p::numeric) AS level
    FROM balances b
    LEFT JOIN webhook_told told ON told.tenant_id = b.tenant_id AND told.subject = '${LEVEL}' || b.key
    WHERE b.tenant_id = $1 AND b.kind <> 'job' AND b.limit_amount > 0 AND CASE
      WHEN b.window = 'none' THEN true
      ELSE split_part(b.window, '@', 2)::timestamptz > (SELECT holdfast_now()) - interval '10 minutes'
        - CASE split_part(b.window, '@', 1) WHEN 'hour' THEN interval '1 hour' WHEN 'day' THEN interval '25 hours'
            WHEN 'week' THEN interval '169 hours' ELSE interval '745 hours' END
      END
  )
  SELECT key, limit_amount::float8 AS limit, spent::float8 AS spent, reserved::float8 AS reserved, told, level
  FROM standing WHERE level <> told ORDER BY key`;

const LEVELS = `
  INSERT INTO webhook_told (tenant_id, subject, state)
  SELECT $1, '${LEVEL}' || key, level::text FROM unnest($2::text[], $3::int[]) AS l(key, level)
  ON CONFLICT (tenant_id, subject) DO UPDATE SET state = excluded.state`;

interface Changed {
  readonly key: string;
  readonly limit: number;
  readonly spent: number;
  readonly reserved: number;
  /** The highest threshold that was told, percent. */
  readonly told: number;
  /** The highest that is reached now. */
  readonly level: number;
}

/**
 * Tells what part of a limit of a tenant, of its share of a service or of a user is spent. What is spent only grows, so a threshold is told once a window,
 * and once more where a higher limit let it fall below. What is reserved comes and goes: it would be told and not be true.
 */
export class Thresholds implements Look {
  readonly type = "allowance.threshold";

  constructor(private readonly pool: pg.Pool) {}

  async run(signal: AbortSignal): Promise<number> {
    let added = 0;
    for (let last = ""; !signal.aborted;) {
      const { rows } = await this.pool.query<{ id: string; mark: string }>(MOVED, [last]);
      for (const { id, mark } of rows) {
        if (signal.aborted) break;
        added += await inTransaction(this.pool, (client) => this.look(client, id, mark));
      }
      if (rows.length < PAGE) break;
      last = rows.at(-1)!.id;
    }
    return added;
  }

  /** The mark is of before the balances are read, so what moves meanwhile is looked at again. It also locks the tenant's. */
  private async look(client: pg.ClientBase, tenantId: string, mark: string): Promise<number> {
    await client.query(MARK, [tenantId, mark]);
    const { rows } = await client.query<Changed>(CHANGED, [tenantId, THRESHOLDS]);
    let added = 0;
    for (const changed of rows) {
      const reached = THRESHOLDS.filter((threshold) => threshold > changed.told && threshold <= changed.level);
      for (const threshold of reached) {
        added += Math.sign(
          await addEvent(client, { type: this.type, tenantId, data: dataOf(tenantId, changed, threshold) }),
        );
      }
    }
    if (rows.length > 0)
      await client.query(LEVELS, [tenantId, rows.map(({ key }) => key), rows.map(({ level }) => level)]);
    return added;
  }
}

function dataOf(tenantId: string, { key, limit, spent, reserved }: Changed, threshold: number): object {
  return {
    ...parseBalanceKey(tenantId, key),
    threshold,
    limit,
    spent,
    reserved,
    available: Math.max(0, limit - reserved - spent),
  };
}
