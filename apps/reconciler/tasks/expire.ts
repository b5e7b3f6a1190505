import { performance } from "node:perf_hooks";
import type pg from "pg";
import { LedgerUnavailable, type Command, type LedgerLog, type Outcome } from "#libs/ledger";
import { messageOf } from "../log.js";
import type { Tally, Task } from "../task.js";

const PAGE = 500;
/** Commands in flight: enough to fill group commits, few enough to leave room in the ledger's queue to requests. */
const LANES = 128;
/** Failures that are named in the log and in the run; beyond it they are counted. */
const NAMED = 20;

/** The sub-select makes the time a constant of the statement, so that the partial index of open reservations bounds it. */
const OVERDUE = `
  SELECT tenant_id AS "tenantId", id, expires_at::text AS deadline FROM reservations
  WHERE state = 'open' AND expires_at <= (SELECT holdfast_now())
    AND (expires_at, tenant_id, id) > ($1::timestamptz, $2, $3)
  ORDER BY expires_at, tenant_id, id LIMIT ${PAGE}`;

export interface Overdue {
  readonly tenantId: string;
  readonly id: string;
  /** As text, in the digits of the record: a cursor must not be cut to what a Date can hold. */
  readonly deadline: string;
}

/** Behind which reservation, in the order of deadlines, a pass goes on; null: from the beginning. */
export type ReadOverdue = (after: Overdue | null) => Promise<readonly Overdue[]>;

/** The open reservations whose deadline has passed by the record's time, a page of them. */
export function overdueIn(pool: pg.Pool): ReadOverdue {
  return async (after) => {
    const place = after ? [after.deadline, after.tenantId, after.id] : ["-infinity", "", ""];
    return (await pool.query<Overdue>(OVERDUE, place)).rows;
  };
}

export interface Executor {
  execute(command: Command): Promise<Outcome>;
}

/**
 * Gives back what nobody closed: closes every open reservation whose deadline has passed, of every tenant, whatever its
 * state. Deadlines only ever grow and new ones lie ahead, so one pass in their order sees all that is overdue. Takes no
 * lock: two sweeps at once meet in the ledger, which closes each reservation once.
 */
export class Expire implements Task {
  readonly name = "expire";
  readonly alone = false;
  /** Where the pass goes on; a run is cut after an interval, so that a long pass shows as work and not as silence. */
  private place: Overdue | null = null;

  constructor(
    private readonly readOverdue: ReadOverdue,
    private readonly ledger: Executor,
    private readonly log: LedgerLog,
    readonly everyMs: number,
  ) {}

  async run(tally: Tally, signal: AbortSignal): Promise<"done" | "more"> {
    const cutAt = performance.now() + this.everyMs;
    const from = this.place;
    this.place = null;
    for (let place = from; ;) {
      const page = await this.readOverdue(place);
      await this.close(page, tally, signal);
      const last = page.at(-1);
      if (!last || page.length < PAGE || signal.aborted) return "done";
      place = last;
      if (performance.now() < cutAt) continue;
      this.place = place;
      return "more";
    }
  }

  private async close(page: readonly Overdue[], tally: Tally, signal: AbortSignal): Promise<void> {
    const waiting = page.values();
    const lane = async () => {
      for (const reservation of waiting) {
        if (signal.aborted) return;
        await this.closeOne(reservation, tally);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
  }

  /** One that fails keeps none of the others, and is tried again by the next pass. */
  private async closeOne({ tenantId, id: reservationId }: Overdue, tally: Tally): Promise<void> {
    try {
      const outcome = await this.ledger.execute({ type: "expire", tenantId, reservationId });
      if (outcome.type === "refused") throw new Error(outcome.refusal.detail);
      if ("expired" in outcome.answer && outcome.answer.expired === true) tally.handled += 1;
    } catch (error) {
      tally.failed += 1;
      this.report({ tenantId, reservationId }, error, tally);
    }
  }

  private report(which: { tenantId: string; reservationId: string }, error: unknown, tally: Tally): void {
    const failures = (tally.detail as { failures: object[] } | null)?.failures ?? [];
    if (failures.length === NAMED) return;
    tally.detail = { failures: [...failures, { ...which, error: messageOf(error) }] };
    // Where the record is away, each of them says so, and the ledger has said it already.
    if (!(error instanceof LedgerUnavailable))
      this.log.error({ ...which, err: error }, "an overdue reservation could not be expired");
  }
}
