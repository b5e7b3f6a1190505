// Jest's global set-up: one PostgreSQL with a migrated template database and one Redis for the whole run.
import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { migrate } from "../../dist/libs/embedded/index.js";
import { provideBrowser } from "../../scripts/browser.mjs";
import { provideServices } from "../../scripts/services.mjs";

const migrations = fileURLToPath(new URL("../../prisma/migrations", import.meta.url));

/** What the global tear-down needs: it runs in this process. */
export const run = { folder: "", prefix: "", databaseUrl: "", stop: async () => undefined };

export default async function start() {
  // An interrupted run still ends its servers: they are told to stop when the process exits.
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
  run.folder = mkdtempSync(join(tmpdir(), "holdfast-test-"));
  chmodSync(run.folder, 0o755);
  const services = await provideServices(run.folder);
  run.stop = services.stop;
  run.databaseUrl = services.databaseUrl;
  run.prefix = `holdfast_test_${randomBytes(4).toString("hex")}`;

  const template = `${run.prefix}_template`;
  const client = new pg.Client({ connectionString: services.databaseUrl });
  await client.connect();
  await client.query(`CREATE DATABASE ${template}`);
  await client.end();
  const templateUrl = new URL(services.databaseUrl);
  templateUrl.pathname = `/${template}`;
  await migrate(templateUrl.href, migrations);

  process.env.TEST_DATABASE_URL = services.databaseUrl;
  process.env.TEST_DATABASE_PREFIX = run.prefix;
  process.env.TEST_REDIS_URL = services.redisUrl;
  process.env.TEST_REDIS_FROM = services.redisFrom;
  process.env.TEST_FOLDER = run.folder;
  const browser = provideBrowser();
  if (browser !== undefined) process.env.TEST_CHROMIUM = browser;
}
