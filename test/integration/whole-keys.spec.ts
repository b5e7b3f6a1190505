import pg from "pg";
import { SESSION } from "../../libs/ledger/postgres/connection.js";
import "../../libs/ledger/postgres/record.js";
import { STATEMENTS } from "../../libs/ledger/postgres/sql.js";
import { freshDatabase, type FreshDatabase } from "../support/services.js";

let database: FreshDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await freshDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  for (const [name, value] of Object.entries(SESSION)) await client.query(`SET ${name} = ${value}`);
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

const KEYS = `
  SELECT c.conrelid::regclass::text AS "of",
    (SELECT array_agg(a.attname::text) FROM pg_attribute a
     WHERE a.attrelid = c.conrelid AND a.attnum = ANY(c.conkey)) AS columns
  FROM pg_constraint c
  WHERE c.contype = 'p' AND c.connamespace = current_schema()::regnamespace AND cardinality(c.conkey) > 1`;

describe("a record of which nothing has been counted yet", () => {
  it("is searched for a row by the whole key of the row, in every table", async () => {
    const { rows: keys } = await client.query<{ of: string; columns: string[] }>(KEYS);
    expect(keys.map(({ of }) => of)).toEqual(expect.arrayContaining(["jobs", "reservations", "balances", "attempts"]));
    for (const { of, columns } of keys) {
      const joined = columns.map((column) => `t.${column} = any_row.${column}`).join(" AND ");
      const plan = await planOf(`SELECT t.* FROM (SELECT * FROM ${of} LIMIT 1) AS any_row JOIN ${of} t ON ${joined}`);
      // Any index will do that the whole key is sought in.
      const [sought] = /Index Cond: .*/.exec(plan.slice(plan.indexOf(` on ${of} t `))) ?? [plan];
      expect({ of, sought: columns.filter((column) => !sought.includes(`(${column} = `)) }).toEqual({ of, sought: [] });
    }
  });

  it("is searched by all that a statement of the ledger joins by, never row by row", async () => {
    const statements = [...STATEMENTS].filter(([, text]) => !["BEGIN", "COMMIT", "ROLLBACK"].includes(text));
    expect(statements.length).toBeGreaterThan(30);
    for (const [name, text] of statements) {
      const plan = await planOf(text);
      expect({ name, plan }).toEqual({ name, plan: expect.not.stringMatching(/Join Filter|Seq Scan|Hash Join|Merge/) });
    }
  });
});

async function planOf(sql: string): Promise<string> {
  const { rows } = await client.query<{ "QUERY PLAN": string }>(`EXPLAIN (GENERIC_PLAN) ${sql}`);
  return rows.map((row) => row["QUERY PLAN"]).join("\n");
}
