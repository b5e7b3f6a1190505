import type pg from "pg";
import { RUN_COLUMNS, runView, type RunRow, type RunView, type TaskName } from "#libs/reconcile";

/** The history of runs, in the record and by its clock. */
export class Runs {
  constructor(private readonly pool: pg.Pool) {}

  async now(): Promise<Date> {
    const { rows } = await this.pool.query<{ now: Date }>("SELECT holdfast_now() AS now");
    return rows[0]!.now;
  }

  /** Adds a run that has just finished. One that is repeated under the same id replaces the earlier. */
  async add(run: Omit<RunView, "startedAt" | "finishedAt">, startedAt: Date): Promise<RunView> {
    const { id, task, trigger, outcome, handled, failed, detail } = run;
    const { rows } = await this.pool.query<RunRow>(
      `INSERT INTO reconcile_runs (${RUN_COLUMNS}) VALUES ($1, $2, $3, $4, holdfast_now(), $5, $6, $7, $8)
       ON CONFLICT (id) DO UPDATE SET trigger = excluded.trigger, started_at = excluded.started_at,
         finished_at = excluded.finished_at, outcome = excluded.outcome, handled = excluded.handled,
         failed = excluded.failed, detail = excluded.detail
       RETURNING ${RUN_COLUMNS}`,
      [id, task, trigger, startedAt, outcome, handled, failed, detail && JSON.stringify(detail)],
    );
    return runView(rows[0]!);
  }

  /** Milliseconds since a run of the task finished, at whatever process; Infinity where none did. */
  async ageMs(task: TaskName): Promise<number> {
    const { rows } = await this.pool.query<{ age: number | null }>(
      `SELECT (extract(epoch FROM holdfast_now() - max(finished_at)) * 1000)::float8 AS age
       FROM reconcile_runs WHERE task = $1`,
      [task],
    );
    return rows[0]!.age ?? Infinity;
  }
}
