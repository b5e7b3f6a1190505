// Jest's global tear-down. The server may be one that the environment named: leave nothing of ours on it.
import { rmSync } from "node:fs";
import pg from "pg";
import { run } from "./services-start.mjs";

export default async function stop() {
  const client = new pg.Client({ connectionString: run.databaseUrl });
  await client.connect();
  const { rows } = await client.query("SELECT datname FROM pg_database WHERE starts_with(datname, $1)", [run.prefix]);
  for (const { datname } of rows) await client.query(`DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`);
  await client.end();
  await run.stop();
  rmSync(run.folder, { recursive: true, force: true });
}
