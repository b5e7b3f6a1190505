import { createHash, randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";

/** The key under which Prisma's own migrate command locks, so that the two exclude each other. */
const prismaLockKey = 72_707_369;
const connectTimeoutMs = 10_000;
const lockTimeoutMs = 120_000;

/** Prisma's own table, column for column. */
const createTable = `
  CREATE TABLE IF NOT EXISTS _prisma_migrations (
    id                  VARCHAR(36) PRIMARY KEY NOT NULL,
    checksum            VARCHAR(64) NOT NULL,
    finished_at         TIMESTAMPTZ,
    migration_name      VARCHAR(255) NOT NULL,
    logs                TEXT,
    rolled_back_at      TIMESTAMPTZ,
    started_at          TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count INTEGER NOT NULL DEFAULT 0
  )`;

export class MigrationError extends Error {
  constructor(migration: string, problem: string, cause?: unknown) {
    super(`migration ${migration} ${problem}`, { cause });
    this.name = "MigrationError";
  }
}

interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

interface AppliedRow {
  migration_name: string;
  checksum: string;
  finished_at: Date | null;
}

/**
 * Applies what `migrationsDir` holds and the database lacks, in order of name, each in a transaction of its own, and
 * returns the names. Writes the state that `prisma migrate deploy` writes, whose engine no npm package ships.
 * Processes that start together wait for each other. Throws MigrationError; a failed migration leaves nothing behind.
 */
export async function migrate(databaseUrl: string, migrationsDir: string): Promise<string[]> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: connectTimeoutMs,
    application_name: "holdfast-migrate",
  });
  await client.connect();
  try {
    await client.query(`SET lock_timeout = ${lockTimeoutMs}`);
    await client.query("SELECT pg_advisory_lock($1)", [prismaLockKey]);
    await client.query(`SET lock_timeout = 0; SET client_min_messages = warning; ${createTable}`);
    const pending = pendingOf(readMigrations(migrationsDir), await appliedRows(client));
    for (const migration of pending) await apply(client, migration);
    return pending.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

function readMigrations(dir: string): Migration[] {
  const names = readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
  return names.sort().map((name) => {
    const sql = readFileSync(join(dir, name, "migration.sql"), "utf8");
    return { name, sql, checksum: createHash("sha256").update(sql).digest("hex") };
  });
}

async function appliedRows(client: pg.Client): Promise<AppliedRow[]> {
  const { rows } = await client.query<AppliedRow>(
    "SELECT migration_name, checksum, finished_at FROM _prisma_migrations WHERE rolled_back_at IS NULL",
  );
  return rows;
}

function pendingOf(migrations: readonly Migration[], rows: readonly AppliedRow[]): Migration[] {
  const applied = new Map(rows.map((row) => [row.migration_name, row]));
  return migrations.filter(({ name, checksum }) => {
    const row = applied.get(name);
    if (!row) return true;
    if (row.finished_at === null) throw new MigrationError(name, "failed before and was not resolved");
    if (row.checksum !== checksum) throw new MigrationError(name, "was changed after it was applied to this database");
    return false;
  });
}

async function apply(client: pg.Client, { name, sql, checksum }: Migration): Promise<void> {
  try {
    await client.query("BEGIN");
    await client.query(sql);
    // The table holds clock times of the writer; now() would be the same instant twice.
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, now(), clock_timestamp(), 1)`,
      [randomUUID(), checksum, name],
    );
    await client.query("COMMIT");
  } catch (cause) {
    await client.query("ROLLBACK").catch(() => undefined);
    throw new MigrationError(name, `failed: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
}
