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

/** Drops what is kept for a time only: idempotency keys, and the history of the reconciler's runs and of deliveries. */
export class Retention implements Task {
  readonly name = "retention";
  readonly alone = true;
  readonly everyMs = HOUR;

  constructor(
    private readonly pool: pg.Pool,
    /** How long an idempotency key is kept, milliseconds. */
    private readonly keepKeysMs: number,
  ) {}

  async run(tally: Tally, signal: AbortSignal): Promise<"done"> {
    const idempotencyKeys = await this.drop(DROP_KEYS, [this.keepKeysMs], tally, signal);
    const runs = await this.drop(DROP_RUNS, [], tally, signal);
    const deliveries = await this.drop(DROP_DELIVERIES, [], tally, signal);
    tally.detail = { idempotencyKeys, runs, deliveries };
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
