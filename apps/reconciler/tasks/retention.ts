import type pg from "pg";
import type { Tally, Task } from "../task.js";

const PORTION = 5_000;
const HOUR = 3_600_000;

/** Rows that another run has in its hands are left to it. */
const DROP_KEYS = `
  DELETE FROM idempotency_keys WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM idempotency_keys WHERE created_at < (SELECT holdfast_now()) - $1 * interval '1 millisecond'
    LIMIT ${PORTION} FOR UPDATE SKIP LOCKED))`;

const DROP_RUNS = `
  DELETE FROM reconcile_runs WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM reconcile_runs
    WHERE finished_at < (SELECT holdfast_now()) - CASE WHEN handled = 0 THEN interval '24 hours' ELSE interval '30 days' END
    LIMIT ${PORTION} FOR UPDATE SKIP LOCKED))`;

/** What is pending is kept, however old. */
const DROP_DELIVERIES = `
  DELETE FROM webhook_deliveries WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM webhook_deliveries
    WHERE created_at < (SELECT holdfast_now()) - interval '30 days' AND state <> 'pending'
    LIMIT ${PORTION} FOR UPDATE SKIP LOCKED))`;

const DROP_DENIALS = `
  DELETE FROM denials WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM denials
    WHERE minute < (SELECT holdfast_now()) - $1 * interval '1 millisecond' AND last_at < (SELECT holdfast_now()) - $1 * interval '1 millisecond'
    LIMIT ${PORTION} FOR UPDATE SKIP LOCKED))`;

/** Of each tenant that has more than it may, the oldest. */
const DROP_SURPLUS_DENIALS = `
  DELETE FROM denials WHERE ctid = ANY(ARRAY(
    SELECT d.ctid
    FROM (SELECT tenant_id FROM denials GROUP BY tenant_id HAVING count(*) > $1) AS crowded
    CROSS JOIN LATERAL (
      SELECT id FROM denials WHERE tenant_id = crowded.tenant_id ORDER BY id DESC OFFSET $1 LIMIT 1) AS edge
    JOIN denials d ON d.tenant_id = crowded.tenant_id AND d.id <= edge.id
    LIMIT ${PORTION} FOR UPDATE OF d SKIP LOCKED))`;

export interface Kept {
  /** How long an idempotency key is kept, milliseconds. */
  readonly keysMs: number;
  /** How long a denial is kept, milliseconds. */
  readonly denialsMs: number;
  /** Most denials that are kept of a tenant, as rows. */
  readonly denials: number;
}

/** Drops what is kept for a time only: idempotency keys, denials, and the history of the reconciler's runs and of deliveries. */
export class Retention implements Task {
  readonly name = "retention";
  readonly alone = true;
  readonly everyMs = HOUR;

  constructor(
    private readonly pool: pg.Pool,
    private readonly kept: Kept,
  ) {}

  async run(tally: Tally, signal: AbortSignal): Promise<"done"> {
    const idempotencyKeys = await this.drop(DROP_KEYS, [this.kept.keysMs], tally, signal);
    const runs = await this.drop(DROP_RUNS, [], tally, signal);
    const deliveries = await this.drop(DROP_DELIVERIES, [], tally, signal);
    const old = await this.drop(DROP_DENIALS, [this.kept.denialsMs], tally, signal);
    const surplus = await this.drop(DROP_SURPLUS_DENIALS, [this.kept.denials], tally, signal);
    tally.detail = { idempotencyKeys, runs, deliveries, denials: old + surplus };
    return "done";
  }

  /** In portions, each a transaction of its own: nothing waits for long, and an interrupted run keeps what it did. */
  private async drop(sql: string, values: number[], tally: Tally, signal: AbortSignal): Promise<number> {
    for (let dropped = 0; ;) {
      const { rowCount } = await this.pool.query(sql, values);
      dropped += rowCount ?? 0;
      tally.handled += rowCount ?? 0;
      if (signal.aborted || (rowCount ?? 0) < PORTION) return dropped;
    }
  }
}
