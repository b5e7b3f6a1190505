import type pg from "pg";
import type { Denial } from "#libs/ledger";
import type { Look } from "./looks.js";
import { addEvent, inTransaction } from "./outbox.js";

const PORTION = 500;
/** Scopes of one tenant that one portion tells apart; where there are more, those with the fewest denials are told together. */
const MOST_APART = 50;

/** What another process has in its hands is left to it. */
const TAKE = `
  DELETE FROM webhook_denials d USING (
    SELECT tenant_id, kind, scope_id, unit FROM webhook_denials
    WHERE first_at <= (SELECT holdfast_now()) - $1::float8 * interval '1 millisecond'
    ORDER BY first_at LIMIT ${PORTION} FOR UPDATE SKIP LOCKED) due
  WHERE (d.tenant_id, d.kind, d.scope_id, d.unit) = (due.tenant_id, due.kind, due.scope_id, due.unit)
  RETURNING d.tenant_id AS "tenantId", d.kind, d.scope_id AS "scopeId", d.unit, d.count::float8 AS count,
    d.first_at AS "firstAt", d.last_at AS "lastAt", d.last`;

interface Counted {
  readonly tenantId: string;
  readonly kind: string;
  /** Empty: several scopes together. */
  readonly scopeId: string;
  readonly unit: string;
  readonly count: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
  readonly last: Denial;
}

/** Tells denials once an interval has passed since the first of them: one event for each scope and unit, with their count. */
export class Denials implements Look {
  readonly type = "allowance.denied";

  constructor(
    private readonly pool: pg.Pool,
    private readonly intervalMs: number,
  ) {}

  async run(signal: AbortSignal): Promise<number> {
    let added = 0;
    for (let taken = PORTION; taken === PORTION && !signal.aborted;) {
      taken = await inTransaction(this.pool, async (client) => {
        const { rows } = await client.query<Counted>(TAKE, [this.intervalMs]);
        for (const counted of collapsed(rows)) {
          const { tenantId } = counted;
          added += Math.sign(await addEvent(client, { type: this.type, tenantId, data: dataOf(counted) }));
        }
        return rows.length;
      });
    }
    return added;
  }
}

/** The busiest scopes of each tenant as they are, the rest of each kind and unit as one. */
function collapsed(rows: readonly Counted[]): Counted[] {
  const apart = new Map<string, number>();
  const together = new Map<string, Counted>();
  const told: Counted[] = [];
  for (const row of rows.toSorted((one, other) => other.count - one.count)) {
    const number = (apart.get(row.tenantId) ?? 0) + 1;
    apart.set(row.tenantId, number);
    if (number <= MOST_APART && row.scopeId !== "") told.push(row);
    else add(together, row);
  }
  return [...told, ...together.values()];
}

function add(together: Map<string, Counted>, row: Counted): void {
  const key = `${row.tenantId} ${row.kind} ${row.unit}`;
  const known = together.get(key) ?? { ...row, scopeId: "", count: 0 };
  const isLater = row.lastAt >= known.lastAt;
  together.set(key, {
    ...known,
    count: known.count + row.count,
    firstAt: row.firstAt < known.firstAt ? row.firstAt : known.firstAt,
    ...(isLater && { lastAt: row.lastAt, last: row.last }),
  });
}

function dataOf({ kind, scopeId, unit, count, firstAt, lastAt, last }: Counted): object {
  return {
    scope: scopeId === "" ? { kind, id: null } : last.scope,
    unit,
    count,
    firstAt: firstAt.toISOString(),
    lastAt: lastAt.toISOString(),
    last,
  };
}
