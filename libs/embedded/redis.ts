import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { endOrphan, passwordIn, releaseFolder, withClaim } from "./folder.js";
import { freePort } from "./port.js";
import { isInstalled, startServer, stopProcess, untilReady } from "./process.js";
import type { EmbeddedServer } from "./postgres.js";

const pingTimeoutMs = 500;
const stopSignals: readonly NodeJS.Signals[] = ["SIGTERM", "SIGKILL"];

export interface RedisOptions {
  /** Holdfast's data folder; the server lives in `redis/` under it. */
  readonly dataDir: string;
  /** Default: any free port. */
  readonly port?: number;
}

/** Starts Redis or Valkey from PATH on 127.0.0.1; undefined when neither is installed. Throws FolderInUseError. */
export async function startRedis(options: RedisOptions): Promise<EmbeddedServer | undefined> {
  const command = findRedis();
  if (command === undefined) return undefined;
  return withClaim(join(options.dataDir, "redis"), (folder) => start(command, folder, options.port));
}

export function findRedis(): string | undefined {
  return ["redis-server", "valkey-server"].find(isInstalled);
}

async function start(command: string, folder: string, wantedPort: number | undefined): Promise<EmbeddedServer> {
  const pidFile = join(folder, "redis.pid");
  await endOrphan(folder, pidFile, stopSignals);

  const port = wantedPort ?? (await freePort());
  const password = passwordIn(folder);
  const configFile = join(folder, "redis.conf");
  writeFileSync(configFile, configuration(folder, pidFile, port, password), { mode: 0o600 });
  const logFile = join(folder, "server.log");
  const child = startServer({ command, args: [configFile] }, logFile, folder, "SIGTERM");
  const pid = await untilReady(child, logFile, () => answersPing(port, password));
  const stop = async (): Promise<void> => {
    await stopProcess(pid, stopSignals);
    releaseFolder(folder);
  };
  return { url: `redis://:${password}@127.0.0.1:${port}`, pid, stop };
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
