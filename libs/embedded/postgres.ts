import { execFileSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { asAccount, serverAccount } from "./account.js";
import { postgresBinaries } from "./binaries.js";
import { endOrphan, passwordIn, releaseFolder, withClaim } from "./folder.js";
import { freePort } from "./port.js";
import { keep, type KeptServer } from "./keep.js";
import { startServer, untilReady, type Command } from "./process.js";

const user = "holdfast";
const database = "holdfast";
/** Fast shutdown, immediate shutdown, and what cannot be refused. */
const stopSignals: readonly NodeJS.Signals[] = ["SIGINT", "SIGQUIT", "SIGKILL"];

const serverSettings = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  shared_buffers: "128MB",
  max_connections: "100",
  fsync: "on",
  synchronous_commit: "on",
  log_checkpoints: "off",
  timezone: "UTC",
  log_timezone: "UTC",
};

export interface EmbeddedServer {
  readonly url: string;
  readonly pid: number;
  /** Ends the server in order; safe to call twice. */
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** Holdfast's data folder; the server lives in `postgres/` under it. */
  readonly dataDir: string;
  /** Default: any free port. */
  readonly port?: number;
  /** Starts the server again whenever it ends unasked; default: no. */
  readonly restart?: boolean;
  /** Server settings over the defaults, by their PostgreSQL names. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Starts PostgreSQL on 127.0.0.1 with the database `holdfast`; makes the cluster at the first start. Throws FolderInUseError. */
export async function startPostgres(options: PostgresOptions): Promise<EmbeddedServer> {
  return withClaim(join(options.dataDir, "postgres"), (folder) => start(folder, options));
}

async function start(folder: string, options: PostgresOptions): Promise<EmbeddedServer> {
  const data = join(folder, "data");
  const pidFile = join(data, "postmaster.pid");
  const password = passwordIn(folder);
  if (!existsSync(data)) makeCluster(folder, data);

  const port = options.port ?? (await freePort());
  const settings = Object.entries({ ...serverSettings, ...options.settings, port: String(port) });
  const flags = settings.flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const logFile = join(folder, "server.log");
  const url = `postgresql://${user}:${password}@127.0.0.1:${port}/${database}`;
  const launch = async () => {
    await endOrphan(folder, pidFile, stopSignals);
    const child = startServer(program("postgres", folder, ["-D", data, ...flags]), logFile, folder, "SIGINT");
    await untilReady(child, logFile, async () => isReady(pidFile, child.pid) && ensureDatabase(url));
    return child;
  };
  return embedded(url, folder, await keep(launch, stopSignals, options.restart ?? false));
}

/** A server that gives its folder back once it is stopped. */
export function embedded(url: string, folder: string, server: KeptServer): EmbeddedServer {
  return {
    url,
    get pid() {
      return server.pid;
    },
    stop: async () => {
      await server.stop();
      releaseFolder(folder);
    },
  };
}

function program(name: string, folder: string, args: readonly string[]): Command {
  const bin = postgresBinaries();
  return asAccount(serverAccount(), [bin, folder], join(bin, name), args);
}

/** Makes the cluster beside its place and moves it there, so that an interrupted start leaves nothing half made. */
function makeCluster(folder: string, data: string): void {
  const draft = `${data}.draft`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  const passwordFile = join(folder, "password");
  const account = serverAccount();
  if (account) [draft, passwordFile].forEach((path) => chownSync(path, account.uid, account.gid));
  const locale = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"];
  const access = ["--auth=scram-sha-256", `--username=${user}`, `--pwfile=${passwordFile}`];
  const { command, args, ...ids } = program("initdb", folder, ["-D", draft, ...locale, ...access]);
  execFileSync(command, args, { cwd: folder, stdio: ["ignore", "ignore", "pipe"], ...ids });
  renameSync(draft, data);
}

/** The server writes its state into the eighth line of its pid file. */
function isReady(pidFile: string, pid: number | undefined): boolean {
  if (!existsSync(pidFile)) return false;
  const lines = readFileSync(pidFile, "utf8").split("\n");
  return Number(lines[0]) === pid && lines[7]?.trim() === "ready";
}

async function ensureDatabase(url: string): Promise<true> {
  const admin = new URL(url);
  admin.pathname = "/postgres";
  const client = new pg.Client({ connectionString: admin.href });
  await client.connect();
  try {
    const { rowCount } = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [database]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${database}`);
    return true;
  } finally {
    await client.end();
  }
}
