import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { freePort, isAlive, startRedis, stopProcess } from "#libs/embedded";

/** What Jest's global set-up started, through the variables that it hands to every test process. */
function given(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: run the tests through npm test`);
  return value;
}

/** The seed of a random test: the variable repeats a run, else it is a new one each time. */
export function seedFrom(variable: "TEST_FUZZ_SEED" | "TEST_CHAOS_SEED"): number {
  const seed = Number(process.env[variable] ?? randomBytes(4).readUInt32BE());
  if (!Number.isInteger(seed)) throw new Error(`${variable} must be a whole number`);
  return seed;
}

/** The browser that the set-up found or installed. */
export function chromiumPath(): string {
  const path = process.env["TEST_CHROMIUM"];
  if (path === undefined) throw new Error("the tests of the console need a Chromium: install chromium");
  return path;
}

export interface FreshDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** A database of its own with every migration applied. */
export async function freshDatabase(): Promise<FreshDatabase> {
  const prefix = given("TEST_DATABASE_PREFIX");
  const name = `${prefix}_${randomBytes(6).toString("hex")}`;
  await onServer(`CREATE DATABASE ${name} TEMPLATE ${prefix}_template`);
  const url = new URL(given("TEST_DATABASE_URL"));
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => onServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

async function onServer(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: given("TEST_DATABASE_URL") });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/**
 * The Redis of the run, in a logical database of this test process. Tests keep apart by tenant, as tenants do; a test
 * that flushes, stops or reconfigures Redis takes `startPrivateRedis`.
 */
export function redisUrl(): string {
  const url = new URL(given("TEST_REDIS_URL"));
  url.pathname = `/${Number(process.env["JEST_WORKER_ID"] ?? "1") % 16}`;
  return url.href;
}

/** A folder that lives as long as the run and that an embedded server's account may enter. */
export function freshFolder(): string {
  const folder = mkdtempSync(join(given("TEST_FOLDER"), "data-"));
  chmodSync(folder, 0o755);
  return folder;
}

/** A Redis to be mistreated. Its URL stays the same over `kill` and `restart`. */
export interface PrivateRedis {
  readonly url: string;
  /** SIGSTOP: connections stay open and nothing answers. */
  suspend(): Promise<void>;
  resume(): Promise<void>;
  /** SIGKILL: what the append-only file does not hold yet is lost. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export async function startPrivateRedis(): Promise<PrivateRedis> {
  if (given("TEST_REDIS_FROM") === "docker") {
    const { startRedisContainer } = await import("./redis-container.js");
    return startRedisContainer(await freePort());
  }
  const options = { dataDir: freshFolder(), port: await freePort() };
  let server = await startedRedis(options);
  const signal = (name: NodeJS.Signals): void => void (isAlive(server.pid) && process.kill(server.pid, name));
  const stop = async (): Promise<void> => {
    signal("SIGCONT");
    await server.stop();
  };
  return {
    url: server.url,
    suspend: async () => signal("SIGSTOP"),
    resume: async () => signal("SIGCONT"),
    kill: () => stopProcess(server.pid, ["SIGKILL"]),
    restart: async () => {
      await stop();
      server = await startedRedis(options);
    },
    stop,
  };
}

async function startedRedis(options: { dataDir: string; port: number }) {
  const server = await startRedis(options);
  if (!server) throw new Error("neither redis-server nor valkey-server is on PATH");
  return server;
}
