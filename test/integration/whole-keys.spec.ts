import pg from "pg";
import { freshDatabase, type FreshDatabase } from "../support/services.js";

let database: FreshDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await freshDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  // As the connections of the ledger have it.
  await client.query("SET enable_seqscan = off");
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

const KEYS = `
  SELECT c.conrelid::regclass::text AS "of", c.conname AS name,
    (SELECT string_agg(format('t.%1$I = any_row.%1$I', a.attname), ' AND ') FROM pg_attribute a
     WHERE a.attrelid = c.conrelid AND a.attnum = ANY(c.conkey)) AS joined
  FROM pg_constraint c
  WHERE c.contype = 'p' AND c.connamespace = current_schema()::regnamespace AND cardinality(c.conkey) > 1`;

describe("a record of which nothing has been counted yet", () => {
  it("is searched for a row by the whole key of the row, in every table", async () => {
    const { rows: keys } = await client.query<{ of: string; name: string; joined: string }>(KEYS);
    expect(keys.map(({ of }) => of)).toEqual(expect.arrayContaining(["jobs", "reservations", "balances", "attempts"]));
    for (const { of, name, joined } of keys) {
      const { rows } = await client.query<{ "QUERY PLAN": string }>(
        `EXPLAIN SELECT t.* FROM (SELECT * FROM ${of} LIMIT 1) AS any_row JOIN ${of} t ON ${joined}`,
      );
      expect({ of, plan: rows.map((row) => row["QUERY PLAN"]).join("\n") }).toMatchObject({
        plan: expect.stringContaining(`using ${name} on ${of} t `) as string,
      });
    }
  });
});
