import type pg from "pg";
import type { RunSettings } from "#libs/config";
import { HISTORY_STEPS_S } from "#libs/telemetry";
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

/** Of each length of bucket as long as it is kept. */
const dropFigures = (table: string): string => `
  DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM ${table}
    WHERE at < (SELECT holdfast_now()) - CASE step WHEN ${HISTORY_STEPS_S[0]} THEN $1::float8 ELSE $2::float8 END * interval '1 millisecond'
    LIMIT ${PORTION} FOR UPDATE SKIP LOCKED))`;

type Kept = Pick<
  RunSettings,
  "idempotencyRetentionMs" | "denialRetentionMs" | "denialsKept" | "historyMs" | "historyCoarseMs"
>;

/** Drops what is kept for a time only: idempotency keys, the reconciler's runs, deliveries, denials, and figures over time. */
export class Retention implements Task {
  readonly name = "retention";
  readonly alone = true;
  readonly everyMs = HOUR;

  constructor(
    private readonly pool: pg.Pool,
    private readonly kept: Kept,
  ) {}

  async run(tally: Tally, signal: AbortSignal): Promise<"done"> {
    const { idempotencyRetentionMs, denialRetentionMs, denialsKept, historyMs, historyCoarseMs } = this.kept;
    const drop = (sql: string, ...values: number[]) => this.drop(sql, values, tally, signal);
    const idempotencyKeys = await drop(DROP_KEYS, idempotencyRetentionMs);
    const runs = await drop(DROP_RUNS);
    const deliveries = await drop(DROP_DELIVERIES);
    const denials = (await drop(DROP_DENIALS, denialRetentionMs)) + (await drop(DROP_SURPLUS_DENIALS, denialsKept));
    let figures = 0;
    for (const table of ["figures", "service_figures"])
      figures += await drop(dropFigures(table), historyMs, historyCoarseMs);
    tally.detail = { idempotencyKeys, runs, deliveries, denials, figures };
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
