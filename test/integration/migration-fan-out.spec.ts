import { cpSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { migrate } from "#libs/embedded";
import { freshDatabase, freshFolder } from "../support/services.js";

const all = fileURLToPath(new URL("../../prisma/migrations", import.meta.url));

it("reservations and jobs from before charges and child jobs hold what they held, and stand at the top", async () => {
  const database = await freshDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    await client.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    const before = freshFolder();
    for (const name of ["20261130000000_ledger", "migration_lock.toml"])
      cpSync(join(all, name), join(before, name), { recursive: true });
    await migrate(database.url, before);
    await client.query(`INSERT INTO jobs (tenant_id, id, labels, allowance, state, created_at)
      VALUES ('ten_1', 'job_1', '{}', '{}', 'open', now())`);
    await client.query(`INSERT INTO reservations (tenant_id, id, job_id, state, reserved, keys, actual, created_at, expires_at)
      VALUES ('ten_1', 'rsv_1', 'job_1', 'open', '{"tokens":5,"calls":1}', '{}', NULL, now(), now()),
             ('ten_1', 'rsv_2', 'job_1', 'settled', '{"tokens":5}', '{}', '{"tokens":3}', now(), now())`);
    await migrate(database.url, all);
    const { rows } = await client.query("SELECT id, held, charged, ancestors FROM reservations ORDER BY id");
    expect(rows).toEqual([
      { id: "rsv_1", held: { tokens: 5, calls: 1 }, charged: { tokens: 0, calls: 0 }, ancestors: [] },
      { id: "rsv_2", held: { tokens: 0 }, charged: { tokens: 0 }, ancestors: [] },
    ]);
    expect((await client.query("SELECT parent_id, ancestors FROM jobs")).rows).toEqual([
      { parent_id: null, ancestors: [] },
    ]);
  } finally {
    await client.end();
    await database.drop();
  }
});
