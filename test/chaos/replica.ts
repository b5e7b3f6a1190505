import { setTimeout as sleep } from "node:timers/promises";
import type { RunSettings } from "#libs/config";
import { freePort } from "#libs/embedded";
import { startProcess, type HoldfastProcess } from "../support/program.js";
import { startProxy, type Proxy } from "../support/proxy.js";

export const SWEEP_INTERVAL_MS = 1_000;
const START_WITHIN_MS = 60_000;
const KEPT_OUTPUT = 2_000;

export interface Services {
  readonly postgresUrl: string;
  readonly redisUrl: string;
  /** Where Redis is several servers that name each other's addresses there is no one way that could be disturbed. */
  readonly redisByProxy: boolean;
}

/** One process of Holdfast under a supervisor, with ways of its own to the services. Its address stays the same. */
export class Replica {
  /** Ends that nobody asked for. */
  readonly crashes: string[] = [];
  private process: HoldfastProcess | undefined;
  private wanted = true;

  private constructor(
    readonly role: RunSettings["role"],
    /** The way of clients to it. */
    readonly front: Proxy,
    readonly postgres: Proxy,
    readonly redis: Proxy | null,
    private readonly settings: Record<string, string>,
  ) {}

  static async start(role: "api" | "reconciler", services: Services): Promise<Replica> {
    const postgres = await startProxy(services.postgresUrl);
    const redis = services.redisByProxy ? await startProxy(services.redisUrl) : null;
    // Everything else is as it ships, the time-outs above all.
    const port = await freePort();
    const front = await startProxy(`http://127.0.0.1:${port}`);
    const replica = new Replica(role, front, postgres, redis, {
      HOLDFAST_ROLE: role,
      HOLDFAST_PORT: String(port),
      HOLDFAST_DATABASE_URL: postgres.url,
      HOLDFAST_REDIS_URL: redis?.url ?? services.redisUrl,
      HOLDFAST_SWEEP_INTERVAL_MS: String(SWEEP_INTERVAL_MS),
      HOLDFAST_LOG_LEVEL: "error",
    });
    await replica.run();
    return replica;
  }

  get url(): string {
    return this.front.url.replace(/\/$/, "");
  }

  /** Ends it with the signal and starts it again after a while, as often as it takes: a service may be away too. */
  async restart(signal: "SIGKILL" | "SIGTERM", afterMs: number): Promise<void> {
    await this.end(signal);
    await sleep(afterMs);
    await this.run();
  }

  async pause(ms: number): Promise<void> {
    this.process?.signal("SIGSTOP");
    await sleep(ms);
    this.process?.signal("SIGCONT");
  }

  /** Ends it for good; safe to call twice. */
  async stop(): Promise<void> {
    if (!this.wanted) return;
    this.wanted = false;
    // Nothing of it is needed any more, and it may be paused.
    await this.end("SIGKILL");
    await Promise.all([this.front.stop(), this.postgres.stop(), this.redis?.stop()]);
  }

  private async end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    const ended = this.process;
    this.process = undefined;
    await ended?.end(signal);
  }

  private async run(): Promise<void> {
    for (const end = performance.now() + START_WITHIN_MS; this.wanted; await sleep(200)) {
      try {
        const started = await startProcess(this.settings);
        if (!this.wanted) return void (await started.end("SIGKILL"));
        return this.watch(started);
      } catch (error) {
        if (performance.now() > end) throw error;
      }
    }
  }

  private watch(started: HoldfastProcess): void {
    this.process = started;
    void started.ended.then(({ code, out, err }) => {
      if (this.process !== started) return;
      this.process = undefined;
      this.crashes.push(`${this.role} ended by itself with ${code}: ${(out + err).slice(-KEPT_OUTPUT)}`);
    });
  }
}
