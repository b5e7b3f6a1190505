import "reflect-metadata";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { loadSettings, SettingsError, type RunSettings, type Settings } from "#libs/config";
import { FolderInUseError, migrate, MigrationError, startPostgres, startRedis } from "#libs/embedded";
import { Ledger } from "#libs/ledger";
import { parseRedisUrl, RedisUrlProblem, tryRedis } from "#libs/redis";
import { listen, openTelemetry, type Telemetry } from "#libs/telemetry";
import type * as Api from "./api/start.js";

/** From dist/apps; the migrations are plain SQL and are not compiled. */
const migrationsDir = fileURLToPath(new URL("../../prisma/migrations", import.meta.url));
/** npm passes Ctrl-C on to a process that the terminal has told already: a second signal counts only after this time. */
const doubledSignalMs = 1_000;

/** What runs, in the order it was started; stopped in the reverse order. */
const running: (() => Promise<void>)[] = [];

async function main(): Promise<void> {
  const settings = await startServices(loadSettings());
  await migrateRecord(settings.databaseUrl);
  const url = await startParts(settings);
  console.log(url === undefined ? "Holdfast reconciler is ready" : `Holdfast is ready on ${url}`);
}

async function startServices(settings: Settings): Promise<RunSettings> {
  const dataDir = resolve(settings.dataDir);
  if (settings.redisUrl !== undefined && settings.redisUrl !== "off") await tryNamedRedis(settings.redisUrl);
  const databaseUrl = settings.databaseUrl ?? (await embeddedPostgres(dataDir));
  const redisUrl = settings.redisUrl ?? (await embeddedRedis(dataDir));
  return { ...settings, dataDir, databaseUrl, redisUrl: redisUrl === "off" ? undefined : redisUrl };
}

async function embeddedPostgres(dataDir: string): Promise<string> {
  const postgres = await inDataDir(() => startPostgres({ dataDir, restart: true }));
  running.push(() => postgres.stop());
  return postgres.url;
}

async function embeddedRedis(dataDir: string): Promise<string | undefined> {
  const redis = await inDataDir(() => startRedis({ dataDir, restart: true }));
  if (redis) running.push(() => redis.stop());
  else console.log("Neither redis-server nor valkey-server is on PATH: running without Redis");
  return redis?.url;
}

/** A Redis that is gone stops nothing; one that shows that the address is wrong would never be used, and nobody would know. */
async function tryNamedRedis(url: string): Promise<void> {
  try {
    if (await tryRedis(parseRedisUrl(url))) return;
    console.warn("HOLDFAST_REDIS_URL cannot be reached: running without Redis until it can");
  } catch (error) {
    if (error instanceof RedisUrlProblem) throw new SettingsError("HOLDFAST_REDIS_URL", error.message);
    throw error;
  }
}

async function inDataDir<T>(start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    if (error instanceof FolderInUseError) throw new SettingsError("HOLDFAST_DATA_DIR", `is taken: ${error.message}`);
    throw new SettingsError("HOLDFAST_DATA_DIR", `cannot hold the embedded services: ${messageOf(error)}`);
  }
}

async function migrateRecord(databaseUrl: string): Promise<void> {
  try {
    await migrate(databaseUrl, migrationsDir);
  } catch (error) {
    const problem = error instanceof MigrationError ? "cannot be brought up to date" : "cannot be used";
    throw new SettingsError("HOLDFAST_DATABASE_URL", `${problem}: ${messageOf(error)}`);
  }
}

/** Starts what the role asks for, on one ledger, and returns the address of the API. What a role does not need is not loaded. */
async function startParts(settings: RunSettings): Promise<string | undefined> {
  const telemetry = await openTelemetry(settings);
  running.push(() => telemetry.close());
  const reconciler = settings.role === "api" ? undefined : await reconcilerOf(settings, telemetry);
  await showMetrics(settings, telemetry);
  if (settings.role === "reconciler") return undefined;
  const api = await import("./api/start.js");
  await showNewAdminKey(settings, api);
  const { url, close } = await atPort("HOLDFAST_PORT", () => api.startApi(settings, { ...reconciler, telemetry }));
  running.push(close);
  return url;
}

/** Before the API starts: the key is made once, so that a start that fails later must have shown it. */
async function showNewAdminKey(settings: RunSettings, { ensureAdminKey, openRecord }: typeof Api): Promise<void> {
  // A connection that is lost here fails the call itself; there is nothing to log besides.
  const noLog = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const record = openRecord(settings.databaseUrl, noLog);
  try {
    const key = await ensureAdminKey(settings, record);
    if (key !== null) console.log(`Admin key, shown this once and kept as a hash: ${key}`);
  } finally {
    await record.$disconnect();
  }
}

/** The reconciler, and what an API in the same process shares with it. */
async function reconcilerOf(
  settings: RunSettings,
  telemetry: Telemetry,
): Promise<Pick<Required<Api.ApiOptions>, "ledger" | "runNow">> {
  const { startReconciler } = await import("./reconciler/start.js");
  const { consoleLog } = await import("./reconciler/log.js");
  const log = consoleLog(settings.logLevel);
  const ledger = Ledger.open({ ...settings, redisUrl: settings.redisUrl ?? null, log, meter: telemetry.ledger });
  running.push(() => ledger.close());
  const reconciler = await startReconciler(settings, { ledger, log });
  running.push(() => reconciler.close());
  return { ledger, runNow: (tasks) => reconciler.runNow(tasks, "manual") };
}

/** The figures at a port of their own, where one is set: the only one that a reconciler has. */
async function showMetrics({ metricsPort, host }: RunSettings, { metrics }: Telemetry): Promise<void> {
  if (metricsPort === undefined) return;
  const { port, close } = await atPort("HOLDFAST_METRICS_PORT", () => listen(metrics, metricsPort, host));
  running.push(close);
  console.log(`Metrics are at port ${port}, /metrics`);
}

type PortVariable = "HOLDFAST_PORT" | "HOLDFAST_METRICS_PORT";

const listenProblems: Readonly<Record<string, readonly [variable: "HOLDFAST_HOST" | "port", problem: string]>> = {
  EADDRINUSE: ["port", "is in use by another process"],
  EACCES: ["port", "may not be opened by this user"],
  EADDRNOTAVAIL: ["HOLDFAST_HOST", "is no address of this machine"],
  ENOTFOUND: ["HOLDFAST_HOST", "is no known host"],
  EAI_AGAIN: ["HOLDFAST_HOST", "is no known host"],
};

async function atPort<T>(port: PortVariable, start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    const [variable, problem] = listenProblems[(error as NodeJS.ErrnoException).code ?? ""] ?? [];
    if (variable === undefined || problem === undefined) throw error;
    throw new SettingsError(variable === "port" ? port : variable, problem);
  }
}

async function stopAll(): Promise<void> {
  for (let stop = running.pop(); stop; stop = running.pop()) {
    await stop().catch((error: unknown) => console.error(`Stopping failed: ${messageOf(error)}`));
  }
}

function messageOf(error: unknown): string {
  // A name with several addresses fails with one error for each.
  if (error instanceof AggregateError) return messageOf(error.errors[0]);
  return error instanceof Error ? error.message || error.name : String(error);
}

let stopAsked: number | undefined;

function onSignal(): void {
  if (stopAsked !== undefined) {
    // Embedded servers are told to stop when the process exits.
    if (performance.now() - stopAsked > doubledSignalMs) process.exit(1);
    return;
  }
  stopAsked = performance.now();
  void started.finally(stopAll).then(
    () => process.exit(0),
    () => process.exit(1),
  );
}

process.on("SIGINT", onSignal);
process.on("SIGTERM", onSignal);

const started = main();
started.catch(async (error: unknown) => {
  console.error(error instanceof SettingsError ? error.message : error);
  await stopAll();
  process.exit(1);
});
