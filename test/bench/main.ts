import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { migrate, startPostgres, startRedis } from "#libs/embedded";
import { fillHistory } from "./history.js";
import { measure, Target, type Request } from "./load.js";
import { cpuSecondsOf, killAll, startProgram } from "./processes.js";
import { goalLine, HEADER, row, type Goal, type Line } from "./report.js";
import { BODY, holdsOf, requests, Subject, type Tenant } from "./subject.js";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "3" },
    tenants: { type: "string", default: "1000" },
    closed: { type: "string", default: "1000000" },
    "in-flight": { type: "string", default: "1,8,64,256" },
    /** Only the permits, beside the baselines. */
    permits: { type: "boolean", default: false },
  },
});
const seconds = Number(values.seconds);
const levels = values["in-flight"].split(",").map(Number);
const pairLevels = levels.filter((n) => n <= 64);

const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
chmodSync(folder, 0o755);
const lines: Line[] = [];
/** Two requests, counted as one. */
const PAIR = "permit + finish";
const LEAST_PAIR = "least of such a pair";
const echoRates = new Map<number, number>();

async function main(): Promise<void> {
  const postgres = await startPostgres({ dataDir: folder });
  const redis = await startRedis({ dataDir: folder });
  try {
    await migrate(postgres.url, fileURLToPath(new URL("../../../prisma/migrations", import.meta.url)));
    console.log(`${cpus().length} × ${cpus()[0]!.model}, Node ${process.version}, ${seconds} s a figure\n${HEADER}`);
    await baselines(postgres.url, postgres.pid);
    const serverPids = [postgres.pid, ...(redis ? [redis.pid] : [])];
    const redisUrls = redis ? [redis.url, "off"] : ["off"];
    for (const url of redisUrls) await least(postgres.url, url, serverPids);
    for (const url of redisUrls) await subject(postgres.url, url, serverPids);
    if (!values.permits) console.log(`\n${goals().map(goalLine).join("\n")}`);
  } finally {
    await redis?.stop();
    await postgres.stop();
  }
}

async function baselines(databaseUrl: string, postgresPid: number): Promise<void> {
  const echo = await startProgram("./echo-server.js", []);
  await series(
    "echo",
    { redis: false, tenants: 1, pids: [echo.pid], levels: [...levels, 200] },
    oneTo(echo.url, "/echo", BODY),
  );
  await echo.stop();
  const rowLock = await startProgram("./row-lock-server.js", [databaseUrl]);
  const body = { tenant: "hot", amount: 240 };
  await series(
    "row-lock",
    { redis: false, tenants: 1, pids: [rowLock.pid, postgresPid], levels },
    oneTo(rowLock.url, "/reserve", body),
  );
  await rowLock.stop();
}

async function least(databaseUrl: string, redisUrl: string, serverPids: readonly number[]): Promise<void> {
  const server = await startProgram("./least-server.js", [databaseUrl, redisUrl]);
  const target = new Target(server.url);
  const at = { redis: redisUrl !== "off", tenants: 1, pids: [server.pid, ...serverPids], levels: pairLevels };
  const tenant = { id: "anyone", target, headers: {}, jobs: [] };
  await series(LEAST_PAIR, at, requests.permitAndFinish([{ tenant, id: "any" }]));
  await target.close();
  await server.stop();
}

function oneTo(url: string, path: string, body: object): Request {
  const target = new Target(url);
  return async () => {
    const { status } = await target.send(path, body);
    if (status >= 300) throw new Error(`${path} answered ${status}`);
    return 1;
  };
}

async function subject(databaseUrl: string, redisUrl: string, serverPids: readonly number[]): Promise<void> {
  const adminKey = `bench-${randomBytes(16).toString("hex")}`;
  const api = await startProgram("../../apps/main.js", [], {
    HOLDFAST_DATABASE_URL: databaseUrl,
    HOLDFAST_REDIS_URL: redisUrl,
    HOLDFAST_ADMIN_KEY: adminKey,
    HOLDFAST_PORT: "0",
    HOLDFAST_DATA_DIR: folder,
    HOLDFAST_LOG_LEVEL: "warn",
  });
  const holdfast = new Subject(api.url, adminKey);
  const redis = redisUrl !== "off";
  const at = { redis, pids: [api.pid, ...serverPids] };
  const hot = values.permits ? await holdfast.tenants(1, 64) : await operations(holdfast, 1, at);
  if (!values.permits) await operations(holdfast, Number(values.tenants), at);
  await holdfast.service();
  const permits = { ...at, tenants: 1, levels: pairLevels };
  await series(PAIR, permits, requests.permitAndFinish(await holdsOf(hot)));
  if (redis && !values.permits) await withHistory(databaseUrl, hot, at);
  await holdfast.close();
  await api.stop();
}

type Server = Pick<Setting, "redis" | "pids">;

/** Every operation, over so many tenants. */
async function operations(holdfast: Subject, tenants: number, server: Server): Promise<readonly Tenant[]> {
  // 64 jobs in all or one a tenant, whichever is more.
  const jobs = Math.max(1, Math.floor(64 / tenants));
  const open = await holdfast.tenants(tenants, jobs);
  const full = await holdfast.tenants(tenants, jobs, 100);
  const at = { ...server, tenants, levels };
  await series("reserve", { ...at, levels: [...levels, 200] }, requests.reserve(open));
  await series("denied", at, requests.denied(full));
  await series("reserve + settle", at, requests.reserveAndSettle(open));
  await series("batch of 64", { ...at, levels: levels.filter((n) => n <= 64) }, requests.batch(open));
  return open;
}

/** The same reserve before and behind a long history. */
async function withHistory(databaseUrl: string, [hot]: readonly Tenant[], server: Server): Promise<void> {
  const at = { ...server, tenants: 1, levels: [64] };
  await series("reserve, no history", at, requests.reserve([hot!]));
  await fillHistory(databaseUrl, hot!.id, hot!.jobs[0]!, Number(values.closed));
  await series("reserve, history", at, requests.reserve([hot!]));
}

interface Setting {
  readonly redis: boolean;
  readonly tenants: number;
  readonly pids: readonly number[];
  readonly levels: readonly number[];
}

async function series(what: string, { redis, tenants, pids, levels }: Setting, request: Request): Promise<void> {
  for (const inFlight of levels) {
    const result = await measure(request, inFlight, seconds, () => cpuSecondsOf(pids));
    const line = { what, redis, tenants, inFlight, ...result };
    if (what === "echo") echoRates.set(inFlight, result.rate);
    lines.push(line);
    const echo = echoRates.get(inFlight)!;
    const isPair = what === PAIR || what === LEAST_PAIR;
    console.log(row(line, echo) + (isPair ? `, as two requests ${((2 * result.rate) / echo).toFixed(3)}` : ""));
  }
}

function goals(): Goal[] {
  const find = (what: string, inFlight: number, { redis = true, tenants = 1 } = {}) =>
    lines.findLast(
      (line) => line.what === what && line.inFlight === inFlight && line.redis === redis && line.tenants === tenants,
    )!;
  const reserve = find("reserve", 64);
  const count = Number(values.tenants);
  const echo = echoRates.get(64)!;
  return [
    { name: "reserve at 64, of the echo", reached: reserve.rate / echo, wanted: 0.25, least: true },
    {
      name: "reserve at 64, times the row lock",
      reached: reserve.rate / find("row-lock", 64, { redis: false }).rate,
      wanted: 8,
      least: true,
    },
    { name: "denied at 64, of the echo", reached: find("denied", 64).rate / echo, wanted: 0.4, least: true },
    {
      name: "operations in batches, of the echo's requests",
      reached: find("batch of 64", 8).rate / echo,
      wanted: 0.7,
      least: true,
    },
    {
      name: "permit + finish at 64, pairs of the echo",
      reached: find(PAIR, 64).rate / echo,
      wanted: 0.2,
      least: true,
    },
    { name: "p99 of reserve at 200, ms", reached: find("reserve", 200).p99, wanted: 50, least: false },
    {
      name: `cpu of a reserve over ${count} tenants, of one tenant`,
      reached: find("reserve", 64, { tenants: count }).cpu / reserve.cpu,
      wanted: 1.5,
      least: false,
    },
    {
      name: "cpu of a reserve with history, without",
      reached: find("reserve, history", 64).cpu / find("reserve, no history", 64).cpu,
      wanted: 1.2,
      least: false,
    },
  ];
}

try {
  await main();
} finally {
  killAll();
  rmSync(folder, { recursive: true, force: true });
}
