import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { environmentWithoutSettings } from "#libs/config";

/** Specs run from the tree, programs such as the chaos run from dist/; what they start is always in dist/. */
const root = new URL("../../", import.meta.url);
const dist = root.pathname.endsWith("/dist/") ? root : new URL("dist/", root);
const programAt = (path: string): string => fileURLToPath(new URL(`apps/${path}`, dist));
/** The operator's key of every process that is started here. */
export const ADMIN_KEY = "operator-key-of-the-tests";

/** What runs; where a test is cut off, it ends with the test's own process. */
const children = new Set<ChildProcess>();
process.once("exit", () => children.forEach((child) => child.kill("SIGKILL")));

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

interface Run {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** What it wrote to its standard output so far. */
  out(): string;
}

function launch(path: string, args: readonly string[], settings: Record<string, string>): Run {
  const env = { ...environmentWithoutSettings(), ...settings };
  const child = spawn(process.execPath, [programAt(path), ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  children.add(child);
  child.once("exit", () => children.delete(child));
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, out, err }));
  return { child, ended, out: () => out };
}

/** Runs a program of dist/apps to its end. */
export const runProgram = (
  path: string,
  args: readonly string[],
  settings: Record<string, string> = {},
): Promise<Ended> => launch(path, args, settings).ended;

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any
  readonly ms: number;
}

export interface HoldfastProcess {
  readonly url: string;
  readonly adminKey: string;
  call(key: string, method: string, path: string, body?: unknown, idempotencyKey?: string): Promise<Reply>;
  /** Resolves once it has ended, for whatever reason. */
  readonly ended: Promise<Ended>;
  /** Sends a signal and does not wait; safe when it has ended already. */
  signal(name: NodeJS.Signals): void;
  /** Ends the process with a signal; safe when it has ended already. */
  end(signal: NodeJS.Signals): Promise<Ended>;
}

/** The process as `npm start` runs it, on a free port. One that only reconciles has an empty URL. */
export async function startProcess(settings: Record<string, string>): Promise<HoldfastProcess> {
  const quiet = { HOLDFAST_PORT: "0", HOLDFAST_LOG_LEVEL: "silent", HOLDFAST_ADMIN_KEY: ADMIN_KEY };
  const run = launch("main.js", [], { ...quiet, ...settings });
  let ready: RegExpExecArray | null;
  while ((ready = /is ready(?: on (\S+))?\n/.exec(run.out())) === null) {
    const ended = await Promise.race([
      once(run.child.stdout as NodeJS.ReadableStream, "data").then(() => null),
      run.ended,
    ]);
    if (ended) throw new Error(`ended before it was ready: ${ended.out}${ended.err}`);
  }
  const url = ready[1] ?? "";
  return {
    url,
    adminKey: ADMIN_KEY,
    ended: run.ended,
    signal: (name) => void run.child.kill(name),
    call: (key, method, path, body, idempotencyKey) => request(url, { key, method, path, body, idempotencyKey }),
    end: (signal) => {
      run.child.kill(signal);
      return run.ended;
    },
  };
}

interface Request {
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly idempotencyKey: string | undefined;
}

async function request(url: string, { key, method, path, body, idempotencyKey }: Request): Promise<Reply> {
  const headers: Record<string, string> = { authorization: `Bearer ${key}` };
  if (body !== undefined) headers["content-type"] = "application/json";
  if (idempotencyKey !== undefined) headers["idempotency-key"] = idempotencyKey;
  const start = performance.now();
  const init = {
    method,
    headers,
    signal: AbortSignal.timeout(20_000),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
  const response = await fetch(`${url}${path}`, init);
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === "" ? {} : JSON.parse(text),
    ms: performance.now() - start,
  };
}

export interface Fixture {
  readonly tenant: string;
  readonly key: string;
  readonly job: string;
}

/** A tenant with a limit of `units`, a key and one job. */
export async function tenantWithJob(holdfast: HoldfastProcess, limit: number): Promise<Fixture> {
  const made = await holdfast.call(ADMIN_KEY, "POST", "/v1/admin/tenants", {
    name: "e2e",
    allowances: { units: { limit } },
  });
  const tenant = made.body.id as string;
  const keyMade = await holdfast.call(ADMIN_KEY, "POST", `/v1/admin/tenants/${tenant}/keys`, { name: "e2e" });
  const key = keyMade.body.key as string;
  const job = await holdfast.call(key, "POST", "/v1/jobs", {}, "job");
  return { tenant, key, job: job.body.id as string };
}
