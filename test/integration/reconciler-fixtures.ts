import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type pg from "pg";
import { loadSettings, type RunSettings } from "#libs/config";
import { Ledger, newId, type LedgerLog } from "#libs/ledger";
import { environmentWithoutSettings } from "#libs/config";
import { redisUrl } from "../support/services.js";

const dist = (path: string) => JSON.stringify(fileURLToPath(new URL(`../../dist/${path}`, import.meta.url)));
const MAIN = fileURLToPath(new URL("../../dist/apps/main.js", import.meta.url));

export interface LogLine {
  readonly level: "info" | "warn" | "error";
  readonly message: string;
  readonly fields: object;
}

export function logInto(lines: LogLine[]): LedgerLog {
  const at = (level: LogLine["level"]) => (fields: object, message: string) =>
    void lines.push({ level, message, fields });
  return { info: at("info"), warn: at("warn"), error: at("error") };
}

/** Settings that only differ from the defaults where a test says so. */
export function settingsFor(databaseUrl: string, over: Partial<RunSettings> = {}): RunSettings {
  return { ...loadSettings({}), databaseUrl, redisUrl: redisUrl(), commitTimeoutMs: 5_000, ...over };
}

export function openLedger({ databaseUrl, redisUrl: redis, redisTimeoutMs, commitTimeoutMs }: RunSettings): Ledger {
  return Ledger.open({ databaseUrl, redisUrl: redis ?? null, redisTimeoutMs, commitTimeoutMs, log: logInto([]) });
}

export interface GivenAllowance {
  readonly limit?: number;
  readonly period?: string;
  readonly state?: "active" | "suspended" | "deleted";
}

/** A tenant with one allowance of tokens. */
export async function givenTenant(
  record: pg.Pool,
  { limit = 1_000_000, period = "none" }: GivenAllowance = {},
): Promise<string> {
  const id = newId("ten");
  await record.query(
    "INSERT INTO tenants (id, name, enforcement, state, created_at) VALUES ($1, 'a', 'enforce', 'active', holdfast_now())",
    [id],
  );
  await record.query("INSERT INTO allowances VALUES ($1, 'tenant', '', 'tokens', $2, $3, 'UTC')", [id, limit, period]);
  return id;
}

export async function givenJob(ledger: Ledger, tenantId: string): Promise<string> {
  const jobId = newId("job");
  const key = { key: jobId, fingerprint: "f" };
  await ledger.execute({
    type: "createJob",
    tenantId,
    jobId,
    user: null,
    name: null,
    labels: {},
    allowance: {},
    parent: null,
    key,
  });
  return jobId;
}

/** An open reservation of 10 tokens for a minute. */
export async function reserveTen(ledger: Ledger, tenantId: string, jobId: string): Promise<string> {
  const reservationId = newId("rsv");
  const ask = { amounts: { tokens: 10 } };
  const common = {
    tenantId,
    jobId,
    reservationId,
    ask,
    admit: "all",
    ttlMs: 60_000,
    dryRun: false,
    service: null,
    key: null,
  } as const;
  const outcome = await ledger.execute({ type: "reserve", ...common });
  if (outcome.type === "refused") throw new Error(outcome.refusal.detail);
  return reservationId;
}

/** Moves the clock of this one database. */
export async function moveClock(record: pg.Pool, byMs: number): Promise<void> {
  await record.query(`
    CREATE OR REPLACE FUNCTION holdfast_now() RETURNS timestamptz LANGUAGE sql VOLATILE AS
    $$ SELECT date_trunc('milliseconds', clock_timestamp()) + interval '${byMs} milliseconds' $$`);
}

export async function tenantFigures(record: pg.Pool, tenantId: string) {
  const { rows } = await record.query<{ limit: number; reserved: number; spent: number }>(
    `SELECT limit_amount::float8 AS limit, reserved::float8 AS reserved, spent::float8 AS spent
     FROM balances WHERE tenant_id = $1 AND kind = 'tenant'`,
    [tenantId],
  );
  return rows[0];
}

export async function countOf(record: pg.Pool, fromWhere: string, values: unknown[] = []): Promise<number> {
  const { rows } = await record.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${fromWhere}`, values);
  return rows[0]!.n;
}

export async function until(
  what: string,
  condition: () => Promise<boolean> | boolean,
  withinMs = 15_000,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await sleep(25);
  }
}

export interface Instance {
  readonly child: ChildProcess;
  readonly output: string[];
}

/** A reconciler in a process of its own, as it is deployed; resolves once it says that it is ready. */
export async function startInstance(databaseUrl: string, env: Readonly<Record<string, string>>): Promise<Instance> {
  const instance = launch([MAIN], {
    HOLDFAST_ROLE: "reconciler",
    HOLDFAST_DATABASE_URL: databaseUrl,
    HOLDFAST_REDIS_URL: "off",
    ...env,
  });
  await saying(instance, "is ready");
  return instance;
}

/** Runs a program that has `startReconciler` and `Ledger` of the build at hand. */
export function startProgram(program: string): Instance {
  const head = `
    import "reflect-metadata";
    const { startReconciler } = await import(${dist("apps/reconciler/start.js")});
    const { Ledger } = await import(${dist("libs/ledger/index.js")});`;
  return launch(["--input-type=module", "-e", head + program], {});
}

function launch(args: readonly string[], env: Readonly<Record<string, string>>): Instance {
  const child = spawn(process.execPath, args, {
    env: { ...environmentWithoutSettings(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (data: Buffer) => output.push(...data.toString().split("\n").filter(Boolean)));
  }
  return { child, output };
}

export async function saying({ child, output }: Instance, words: string): Promise<void> {
  await until(`a process says "${words}": ${output.join("\n")}`, () => {
    if (child.exitCode !== null) throw new Error(`a process ended: ${output.join("\n")}`);
    return output.some((line) => line.includes(words));
  });
}

export async function end({ child }: Instance, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill(signal);
  await ended;
}
