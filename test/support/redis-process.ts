import { isAlive, startRedis, stopProcess } from "#libs/embedded";

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

/** The server of PATH as a child process, its data in `redis/` under the folder. */
export async function startRedisProcess(options: { dataDir: string; port: number }): Promise<PrivateRedis> {
  let server = await started(options);
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
      server = await started(options);
    },
    stop,
  };
}

async function started(options: { dataDir: string; port: number }) {
  const server = await startRedis(options);
  if (!server) throw new Error("neither redis-server nor valkey-server is on PATH");
  return server;
}
