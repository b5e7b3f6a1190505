import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import pg from "pg";
import { FolderInUseError, isAlive, startPostgres, startRedis, stopProcess } from "#libs/embedded";
import { serverAccount } from "../../../libs/embedded/account.js";
import { eventually } from "../../support/record.js";
import { freshFolder, startPrivateRedis } from "../../support/services.js";

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

const compiled = fileURLToPath(new URL("../../../dist/libs/embedded/index.js", import.meta.url));

/** Another process that starts both servers and prints their process ids. */
async function startElsewhere(dataDir: string): Promise<{ child: ChildProcess; pids: number[] }> {
  const program = `
    const { startPostgres, startRedis } = await import(${JSON.stringify(compiled)});
    const dataDir = ${JSON.stringify(dataDir)};
    const servers = [await startPostgres({ dataDir }), await startRedis({ dataDir })];
    console.log(servers.flatMap((server) => server?.pid ?? []).join());
    setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
  return { child, pids: line.toString().trim().split(",").map(Number) };
}

describe("embedded servers", () => {
  it("keeps the data of PostgreSQL over a stop and a start, syncing every commit", async () => {
    const dataDir = freshFolder();
    const before = await startPostgres({ dataDir });
    await query(before.url, "CREATE TABLE kept (id int)");
    expect(
      await query(before.url, "SELECT current_setting('fsync') AS f, current_setting('listen_addresses') AS l"),
    ).toEqual([{ f: "on", l: "127.0.0.1" }]);
    await expect(startPostgres({ dataDir })).rejects.toThrow(FolderInUseError);
    await before.stop();
    await before.stop();
    const after = await startPostgres({ dataDir });
    expect(await query(after.url, "SELECT * FROM kept")).toEqual([]);
    await after.stop();
  });

  it("starts again on the data of a process that was killed and left its servers running", async () => {
    const dataDir = freshFolder();
    const { child, pids } = await startElsewhere(dataDir);
    await expect(startPostgres({ dataDir })).rejects.toThrow(`is in use by process ${child.pid}`);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(pids.map(isAlive)).toEqual(pids.map(() => true));

    const postgres = await startPostgres({ dataDir });
    const redis = await startRedis({ dataDir });
    expect(pids.map(isAlive)).toEqual(pids.map(() => false));
    expect(await query(postgres.url, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
    await Promise.all([postgres.stop(), redis?.stop()]);
  });

  it("starts again after PostgreSQL itself was killed", async () => {
    const dataDir = freshFolder();
    const before = await startPostgres({ dataDir });
    await query(before.url, "CREATE TABLE kept (id int)");
    await stopProcess(before.pid, ["SIGKILL"]);
    await before.stop();
    const after = await startPostgres({ dataDir });
    expect(await query(after.url, "SELECT * FROM kept")).toEqual([]);
    await after.stop();
  });

  it("starts next to the pid file of an ended process that nobody collects", async () => {
    const dataDir = freshFolder();
    await (await startPostgres({ dataDir })).stop();
    // PostgreSQL minds only what is of its own account.
    const parent = spawn("sh", ["-c", "sleep 0 & echo $!; exec sleep 60"], {
      stdio: ["ignore", "pipe", "inherit"],
      ...serverAccount(),
    });
    const [line] = (await once(parent.stdout, "data")) as [Buffer];
    writeFileSync(join(dataDir, "postgres/data/postmaster.pid"), line, { mode: 0o644 });
    await eventually(async () => !isAlive(Number(line)));
    expect(() => process.kill(Number(line), 0)).not.toThrow();
    const after = await startPostgres({ dataDir });
    expect(await query(after.url, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
    await after.stop();
    parent.kill("SIGKILL");
    await once(parent, "close");
  });

  it("do not end their process by ending, also where their folder is gone by then", async () => {
    const dataDir = freshFolder();
    const program = `
      const { startRedis } = await import(${JSON.stringify(compiled)});
      const server = await startRedis({ dataDir: ${JSON.stringify(dataDir)} });
      (await import("node:fs")).rmSync(${JSON.stringify(dataDir)}, { recursive: true });
      process.kill(server.pid, "SIGKILL");
      setTimeout(() => process.exit(0), 500);`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: "ignore" });
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  it("gives tests a Redis that can be suspended, killed and started again at the same address", async () => {
    const server = await startPrivateRedis();
    const redis = new Redis(server.url, { commandTimeout: 200, maxRetriesPerRequest: 0 });
    redis.on("error", () => undefined);
    expect(await redis.config("GET", "maxmemory-policy")).toEqual(["maxmemory-policy", "noeviction"]);
    await redis.set("kept", "1");
    await server.suspend();
    await expect(redis.get("kept")).rejects.toThrow();
    await server.resume();
    await server.restart();
    const again = new Redis(server.url);
    expect(await again.get("kept")).toBe("1");
    await Promise.all([again.quit(), redis.quit()]);
    await server.kill();
    await server.stop();
  });
});
