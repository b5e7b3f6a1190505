import pg from "pg";
import type { Instruments } from "./instruments.js";
import { countsOf, type Count } from "./counts.js";

/** Lengths of the buckets that figures are kept in, seconds. */
export const HISTORY_STEPS_S = [10, 300, 3_600] as const;
const BUCKET_MS = HISTORY_STEPS_S[0] * 1_000;
/** Short, since a process that stops waits for it. */
const PATIENCE_MS = 2_000;

/** In one order in every process, so that none waits for another in a circle. */
const ADD = `
  WITH added AS (
    INSERT INTO figures AS f (name, label, step, at, value)
    SELECT c.name, c.label, s.step, to_timestamp(floor(extract(epoch FROM n.now) / s.step) * s.step), c.value
    FROM json_to_recordset($1::json) AS c(name text, label text, value float8)
    CROSS JOIN unnest($2::int[]) AS s(step) CROSS JOIN (SELECT holdfast_now() AS now) AS n
    ORDER BY s.step, c.name, c.label
    ON CONFLICT (step, name, label, at) DO UPDATE SET value = f.value + excluded.value
  )
  SELECT ((extract(epoch FROM holdfast_now()) * 1000)::bigint % $3)::int AS into`;

/**
 * Adds what this process has counted to the history that all processes share: every ten seconds one statement, and none of
 * it on the way of a request. What could not be written is added later; what was written while the answer was
 * lost is added twice, since these are figures to look at, not books.
 */
export class FigureHistory {
  private readonly pool: pg.Pool;
  private readonly written = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;
  private flushing: Promise<void> = Promise.resolve();
  private closed = false;

  constructor(
    databaseUrl: string,
    private readonly instruments: Instruments,
  ) {
    this.pool = new pg.Pool({
      connectionString: databaseUrl,
      max: 1,
      connectionTimeoutMillis: PATIENCE_MS,
      query_timeout: PATIENCE_MS,
      idleTimeoutMillis: 2 * BUCKET_MS,
      application_name: "holdfast-history",
    });
    this.pool.on("error", () => undefined);
    this.pool.on("connect", (client) => client.on("error", () => undefined));
    this.flushIn(BUCKET_MS / 2);
  }

  /** Writes what is left. */
  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    await this.flushing;
    await this.flush();
    await this.pool.end();
  }

  private flushIn(ms: number): void {
    if (this.closed) return;
    this.timer = setTimeout(() => {
      this.flushing = this.flush().then((pause) => this.flushIn(pause));
    }, ms).unref();
  }

  /** Never fails. Returns how long to wait for the middle of the next bucket, so that each bucket is written to once. */
  private async flush(): Promise<number> {
    const counts = await countsOf(this.instruments);
    const grown = counts
      .map((count) => ({ ...count, value: count.value - (this.written.get(keyOf(count)) ?? 0) }))
      .filter(({ value }) => value > 0);
    if (grown.length === 0) return BUCKET_MS;
    try {
      const values = [JSON.stringify(grown), HISTORY_STEPS_S, BUCKET_MS];
      const { rows } = await this.pool.query<{ into: number }>(ADD, values);
      for (const count of counts) this.written.set(keyOf(count), count.value);
      return BUCKET_MS * 1.5 - rows[0]!.into;
    } catch {
      this.instruments.historyFailures.inc();
      return BUCKET_MS;
    }
  }
}

function keyOf({ name, label }: Count): string {
  return `${name} ${label}`;
}
