import pg from "pg";
import { Statistics } from "../../apps/reconciler/tasks/statistics.js";
import { eventually } from "../support/record.js";
import { freshDatabase, type FreshDatabase } from "../support/services.js";

let database: FreshDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await freshDatabase();
  pool = new pg.Pool({ connectionString: database.url, max: 2 });
  pool.on("error", () => undefined);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const run = async () => {
  const tally = { handled: 0, failed: 0, detail: null };
  expect(await new Statistics(pool, 1_000).run(tally, new AbortController().signal)).toBe("done");
  return tally;
};

describe("statistics", () => {
  it("of a table that was empty come as soon as it has grown, so that a row is found by its whole key", async () => {
    // The server would count by itself, some time within a minute.
    await pool.query("ALTER TABLE jobs SET (autovacuum_enabled = off)");
    expect(await run()).toEqual({ handled: 0, failed: 0, detail: null });
    await pool.query(
      `INSERT INTO tenants (id, name, enforcement, state, config_version, created_at) VALUES ('ten_1', 'a', 'enforce', 'active', 1, now())`,
    );
    await pool.query(
      `INSERT INTO jobs (tenant_id, id, allowance, state, labels, created_at, ancestors)
       SELECT 'ten_1', 'job_' || n, '{}', 'open', '{}', now(), '{}' FROM generate_series(1, 2000) AS n`,
    );
    // The server hears of the rows within a second or so.
    let tally = await run();
    await eventually(async () => (tally.handled > 0 ? true : void (tally = await run())));
    expect(tally).toMatchObject({ detail: { tables: ["jobs"] } });
    const { rows } = await pool.query<{ n: number }>("SELECT reltuples::int AS n FROM pg_class WHERE relname = 'jobs'");
    expect(rows).toEqual([{ n: 2_000 }]);
    expect(await planOf("SELECT * FROM jobs WHERE tenant_id = 'ten_1' AND id = 'job_7'")).toContain("jobs_pkey");
    expect(await run()).toEqual({ handled: 0, failed: 0, detail: null });
  });
});

async function planOf(sql: string): Promise<string> {
  const client = await pool.connect();
  try {
    await client.query("SET enable_seqscan = off");
    const { rows } = await client.query<{ "QUERY PLAN": string }>(`EXPLAIN ${sql}`);
    return rows.map((row) => row["QUERY PLAN"]).join("\n");
  } finally {
    client.release(true);
  }
}
