import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { endOrphan, passwordIn, withClaim } from "./folder.js";
import { freePort } from "./port.js";
import { keep } from "./keep.js";
import { embedded, type EmbeddedServer } from "./postgres.js";
import { isInstalled, startServer, untilReady } from "./process.js";

const pingTimeoutMs = 500;
const stopSignals: readonly NodeJS.Signals[] = ["SIGTERM", "SIGKILL"];

export interface RedisOptions {
  /** Holdfast's data folder; the server lives in `redis/` under it. */
  readonly dataDir: string;
  /** Default: any free port. */
  readonly port?: number;
  /** Starts the server again whenever it ends unasked; default: no. */
  readonly restart?: boolean;
}

/** Starts Redis or Valkey from PATH on 127.0.0.1; undefined when neither is installed. Throws FolderInUseError. */
export async function startRedis(options: RedisOptions): Promise<EmbeddedServer | undefined> {
  const command = findRedis();
  if (command === undefined) return undefined;
  return withClaim(join(options.dataDir, "redis"), (folder) => start(command, folder, options));
}

export function findRedis(): string | undefined {
  return ["redis-server", "valkey-server"].find(isInstalled);
}

async function start(command: string, folder: string, options: RedisOptions): Promise<EmbeddedServer> {
  const pidFile = join(folder, "redis.pid");
  const port = options.port ?? (await freePort());
  const password = passwordIn(folder);
  const configFile = join(folder, "redis.conf");
  writeFileSync(configFile, configuration(folder, pidFile, port, password), { mode: 0o600 });
  const logFile = join(folder, "server.log");
  const launch = async () => {
    await endOrphan(folder, pidFile, stopSignals);
    const child = startServer({ command, args: [configFile] }, logFile, folder, "SIGTERM");
    await untilReady(child, logFile, () => answersPing(port, password));
    return child;
  };
  const server = await keep(launch, stopSignals, options.restart ?? false);
  return embedded(`redis://:${password}@127.0.0.1:${port}`, folder, server);
}

/** A file and not arguments, because everybody on the machine may read the arguments of a process. */
function configuration(folder: string, pidFile: string, port: number, password: string): string {
  return [
    "bind 127.0.0.1",
    `port ${port}`,
    `requirepass ${password}`,
    `dir ${JSON.stringify(folder)}`,
    `pidfile ${JSON.stringify(pidFile)}`,
    "daemonize no",
    "appendonly yes",
    "appendfsync everysec",
    'save ""',
    "maxmemory-policy noeviction",
    "loglevel warning",
    "",
  ].join("\n");
}

async function answersPing(port: number, password: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let answer = "";
    const finish = (): void => {
      socket.destroy();
      resolve(answer.includes("+PONG"));
    };
    socket.setTimeout(pingTimeoutMs, finish);
    socket.once("error", finish);
    socket.once("connect", () => socket.write(`AUTH ${password}\r\nPING\r\n`));
    socket.on("data", (chunk) => {
      answer += chunk.toString("latin1");
      if (answer.split("\r\n").length > 2) finish();
    });
  });
}
