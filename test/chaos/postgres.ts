import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { startPostgres, stopProcess, type EmbeddedServer } from "#libs/embedded";

const AWAKE_WITHIN_MS = 60_000;

/** A PostgreSQL to be mistreated. Like one under a supervisor it starts again by itself, at the same address. */
export class Postgres {
  private constructor(private readonly server: EmbeddedServer) {}

  static async start(dataDir: string): Promise<Postgres> {
    return new Postgres(await startPostgres({ dataDir, restart: true }));
  }

  get url(): string {
    return this.server.url;
  }

  /** SIGQUIT is an immediate shutdown, after which the log is replayed; SIGKILL leaves its processes behind for a moment. */
  async crash(signal: "SIGQUIT" | "SIGKILL"): Promise<void> {
    const { pid } = this.server;
    await stopProcess(pid, [signal]);
    await this.awake(pid);
  }

  /** Ends the back-ends of every client but this one. */
  async terminateBackends(): Promise<void> {
    await this.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
    );
  }

  /** Stops the server and all its processes for so long. */
  async pause(ms: number): Promise<void> {
    const family = familyOf(this.server.pid);
    send(family, "SIGSTOP");
    await sleep(ms);
    send(family, "SIGCONT");
  }

  async query(text: string): Promise<void> {
    const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: 2_000 });
    client.on("error", () => undefined);
    await client.connect();
    await client.query(text).finally(() => client.end());
  }

  async stop(): Promise<void> {
    send(familyOf(this.server.pid), "SIGCONT");
    await this.server.stop();
  }

  /** Resolves once another process than this one answers. */
  private async awake(lastPid: number): Promise<void> {
    for (const end = performance.now() + AWAKE_WITHIN_MS; performance.now() < end; await sleep(50)) {
      const answers = await this.query("SELECT 1").then(
        () => true,
        () => false,
      );
      if (answers && this.server.pid !== lastPid) return;
    }
    throw new Error("PostgreSQL did not start again");
  }
}

function familyOf(pid: number): number[] {
  const rows = execFileSync("ps", ["-e", "-o", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
  const pairs = rows.map((row) => row.trim().split(/\s+/).map(Number) as [number, number]);
  return [pid, ...pairs.filter(([, parent]) => parent === pid).map(([child]) => child)];
}

function send(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      // A back-end may have ended since it was seen.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}
