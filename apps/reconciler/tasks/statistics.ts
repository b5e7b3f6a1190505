import type pg from "pg";
import type { Tally, Task } from "../task.js";

/** Tables with more than four times the rows that the planner knows of; a handful of rows is found by any plan. */
const OUTGROWN = `
  SELECT c.oid::regclass::text AS name
  FROM pg_class c JOIN pg_stat_user_tables s ON s.relid = c.oid
  WHERE c.relnamespace = current_schema()::regnamespace AND s.n_live_tup > 100 AND s.n_live_tup > 4 * c.reltuples`;

/**
 * Has PostgreSQL count again what has grown since it last looked. While a table is empty all its indexes look alike to
 * the planner, and statements that were prepared then may walk through all rows of a tenant for a single one, until
 * somebody counts. The server does so by itself, but within minutes; a new record under load cannot wait for that.
 * `handled` counts tables. An account that does not own the tables changes nothing here.
 */
export class Statistics implements Task {
  readonly name = "statistics";
  readonly alone = true;

  constructor(
    private readonly pool: pg.Pool,
    readonly everyMs: number,
  ) {}

  async run(tally: Tally, signal: AbortSignal): Promise<"done"> {
    const { rows } = await this.pool.query<{ name: string }>(OUTGROWN);
    for (const { name } of rows) {
      if (signal.aborted) return "done";
      // The name comes quoted from the catalogue.
      await this.pool.query(`ANALYZE ${name}`);
      tally.handled += 1;
    }
    if (rows.length > 0) tally.detail = { tables: rows.map(({ name }) => name) };
    return "done";
  }
}
