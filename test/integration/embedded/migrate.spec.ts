import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { migrate } from "#libs/embedded";
import { freshDatabase, freshFolder, type FreshDatabase } from "../../support/services.js";

const first = ["20260101000000_first", "CREATE TABLE a (id int); INSERT INTO a VALUES (1);"] as const;
const second = ["20260102000000_second", "CREATE TABLE b (id int);"] as const;

function folderOf(...migrations: (readonly [name: string, sql: string])[]): string {
  const folder = freshFolder();
  for (const [name, sql] of migrations) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, "migration.sql"), sql);
  }
  writeFileSync(join(folder, "migration_lock.toml"), "");
  return folder;
}

describe("migrate", () => {
  let database: FreshDatabase;
  let client: pg.Client;

  beforeEach(async () => {
    database = await freshDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query("DELETE FROM _prisma_migrations");
  });

  afterEach(async () => {
    await client.end();
    await database.drop();
  });

  it("applies what is missing, in order, once", async () => {
    expect(await migrate(database.url, folderOf(first))).toEqual([first[0]]);
    expect(await migrate(database.url, folderOf(second, first))).toEqual([second[0]]);
    expect(await migrate(database.url, folderOf(first, second))).toEqual([]);
    expect((await client.query("SELECT * FROM a")).rowCount).toBe(1);
  });

  it("writes Prisma's rows", async () => {
    await migrate(database.url, folderOf(first));
    const { rows } = await client.query("SELECT * FROM _prisma_migrations");
    expect(rows).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        checksum: createHash("sha256").update(first[1]).digest("hex"),
        migration_name: first[0],
        started_at: expect.any(Date),
        finished_at: expect.any(Date),
        applied_steps_count: 1,
        logs: null,
        rolled_back_at: null,
      },
    ]);
  });

  it("refuses a migration that was changed after it was applied", async () => {
    await migrate(database.url, folderOf(first));
    await expect(migrate(database.url, folderOf([first[0], "SELECT 1;"]))).rejects.toThrow(
      `migration ${first[0]} was changed after it was applied to this database`,
    );
  });

  it("leaves nothing of a migration that fails, and keeps those before it", async () => {
    const broken = ["20260103000000_broken", "CREATE TABLE c (id int); SELECT nonsense;"] as const;
    await expect(migrate(database.url, folderOf(first, broken))).rejects.toThrow(
      /20260103000000_broken failed: .*nonsense/,
    );
    expect((await client.query("SELECT to_regclass('a') AS a, to_regclass('c') AS c")).rows).toEqual([
      { a: "a", c: null },
    ]);
    expect((await client.query("SELECT 1 FROM _prisma_migrations")).rowCount).toBe(1);
  });

  it("applies each migration once when several processes start together", async () => {
    const folder = folderOf(first, second);
    const applied = await Promise.all([1, 2, 3, 4].map(() => migrate(database.url, folder)));
    expect(applied.flat().sort()).toEqual([first[0], second[0]]);
  });
});
