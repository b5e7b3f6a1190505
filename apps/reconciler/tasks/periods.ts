import { performance } from "node:perf_hooks";
import type pg from "pg";
import { balanceKey, scopeOfBook, windowAt, type Period } from "#libs/ledger";
import { messageOf } from "../log.js";
import type { Tally, Task } from "../task.js";
import type { Executor } from "./expire.js";

const PAGE = 500;
const LANES = 32;

const PERIODIC = `
  SELECT a.tenant_id, a.kind, a.scope_id, a.unit, a.period, a.time_zone,
    (extract(epoch FROM holdfast_now()) * 1000)::float8 AS now
  FROM allowances a LEFT JOIN tenants t ON t.id = a.tenant_id
  WHERE t.state IS DISTINCT FROM 'deleted' AND a.kind IN ('tenant', 'service') AND a.period <> 'none'
    AND (a.tenant_id, a.kind, a.scope_id, a.unit) > ($1, $2, $3, $4)
  ORDER BY a.tenant_id, a.kind, a.scope_id, a.unit LIMIT ${PAGE}`;

const MISSING = `
  SELECT DISTINCT w.tenant_id FROM unnest($1::text[], $2::text[]) AS w(tenant_id, key)
  LEFT JOIN balances b ON b.tenant_id = w.tenant_id AND b.key = w.key WHERE b.key IS NULL`;

interface Periodic {
  readonly tenant_id: string;
  /** `service`: a tenant's share of the one that `scope_id` names. */
  readonly kind: "tenant" | "service";
  readonly scope_id: string;
  readonly unit: string;
  readonly period: Period;
  readonly time_zone: string;
  readonly now: number;
}

/**
 * Opens the current window of every allowance of a tenant or a service, and of every share of a service, that has a period,
 * so that a new window is there, at exactly its limit, before anybody works in it. Work opens its windows itself; nothing waits for this.
 */
export class Periods implements Task {
  readonly name = "periods";
  readonly alone = true;
  readonly everyMs = 60_000;
  /** When the first of the windows seen last ends. */
  dueAt = Infinity;

  constructor(
    private readonly pool: pg.Pool,
    private readonly ledger: Executor,
  ) {}

  async run(tally: Tally, signal: AbortSignal): Promise<"done"> {
    this.dueAt = Infinity;
    for (let place = ["", "", "", ""]; !signal.aborted;) {
      const { rows: page } = await this.pool.query<Periodic>(PERIODIC, place);
      await this.open(await this.missingOf(page), tally, signal);
      const last = page.at(-1);
      if (!last || page.length < PAGE) break;
      place = [last.tenant_id, last.kind, last.scope_id, last.unit];
    }
    return "done";
  }

  /** The tenants of which a current window is missing. */
  private async missingOf(page: readonly Periodic[]): Promise<string[]> {
    const keys = page.map(({ tenant_id: id, kind, scope_id, unit, period, time_zone: timeZone, now }) => {
      const window = windowAt(period, timeZone, now);
      this.dueAt = Math.min(this.dueAt, performance.now() + (window.end ?? Infinity) - now);
      return balanceKey(kind === "service" ? { kind, id: scope_id } : scopeOfBook(id), unit, window.id);
    });
    const { rows } = await this.pool.query<{ tenant_id: string }>(MISSING, [page.map((row) => row.tenant_id), keys]);
    return rows.map((row) => row.tenant_id);
  }

  private async open(tenantIds: readonly string[], tally: Tally, signal: AbortSignal): Promise<void> {
    const waiting = tenantIds.values();
    const lane = async () => {
      for (const tenantId of waiting) {
        if (signal.aborted) return;
        await this.openOne(tenantId, tally);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
  }

  private async openOne(tenantId: string, tally: Tally): Promise<void> {
    try {
      const outcome = await this.ledger.execute({ type: "openWindows", tenantId });
      // Refused: the tenant was deleted since it was read.
      if (outcome.type === "done") tally.handled += (outcome.answer as { opened: number }).opened;
    } catch (error) {
      tally.failed += 1;
      tally.detail ??= { error: messageOf(error) };
    }
  }
}
