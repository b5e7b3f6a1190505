import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { freePort } from "#libs/embedded";
import { startRedisProcess, type PrivateRedis } from "../support/redis-process.js";

const PASSWORD = "of-both-servers";
const LINKED_WITHIN_MS = 20_000;

/** A Redis and its replica, to be mistreated. Their addresses stay the same. */
export class RedisPair {
  private constructor(
    private readonly folder: string,
    private readonly servers: { readonly first: PrivateRedis; readonly second: PrivateRedis },
  ) {}

  static async start(folder: string): Promise<RedisPair> {
    const start = async (name: string): Promise<PrivateRedis> => {
      const dataDir = join(folder, name);
      mkdirSync(join(dataDir, "redis"), { recursive: true });
      // One password for both, since clients are led from one to the other under the address of the first.
      writeFileSync(join(dataDir, "redis", "password"), PASSWORD, { mode: 0o600 });
      return startRedisProcess({ dataDir, port: await freePort() });
    };
    const pair = new RedisPair(folder, { first: await start("first"), second: await start("second") });
    await pair.follow("second", "first");
    return pair;
  }

  get url(): string {
    return this.servers.first.url;
  }

  get secondUrl(): string {
    return this.servers.second.url;
  }

  async kill(downMs: number): Promise<void> {
    await this.servers.first.kill();
    await sleep(downMs);
    await this.servers.first.restart();
  }

  async pause(ms: number): Promise<void> {
    await this.servers.first.suspend();
    await sleep(ms);
    await this.servers.first.resume();
  }

  /** Kills it and starts it with the data that it had `ageMs` ago. */
  async restoreOld(ageMs: number): Promise<void> {
    const data = join(this.folder, "first", "redis", "appendonlydir");
    const copy = join(this.folder, "snapshot");
    rmSync(copy, { recursive: true, force: true });
    cpSync(data, copy, { recursive: true });
    await sleep(ageMs);
    await this.servers.first.kill();
    rmSync(data, { recursive: true });
    cpSync(copy, data, { recursive: true });
    await this.servers.first.restart();
  }

  async call(...[command, ...args]: [string, ...(string | number)[]]): Promise<unknown> {
    return callAt(this.url, command, ...args);
  }

  /** The replica takes writes of its own from now on. */
  async split(): Promise<void> {
    await callAt(this.secondUrl, "REPLICAOF", "NO", "ONE");
  }

  /** One server again: the data of the one that `wins` replaces the other's, and the first leads. */
  async heal(wins: "first" | "second"): Promise<void> {
    if (wins === "second") {
      await this.follow("first", "second");
      await callAt(this.url, "REPLICAOF", "NO", "ONE");
    }
    await this.follow("second", "first");
  }

  async stop(): Promise<void> {
    await Promise.all([this.servers.first.stop(), this.servers.second.stop()]);
  }

  private async follow(who: "first" | "second", whom: "first" | "second"): Promise<void> {
    const { hostname, port } = new URL(this.servers[whom].url);
    const { url } = this.servers[who];
    await callAt(url, "CONFIG", "SET", "masterauth", PASSWORD);
    await callAt(url, "CONFIG", "SET", "repl-diskless-sync-delay", 0);
    await callAt(this.servers[whom].url, "CONFIG", "SET", "repl-diskless-sync-delay", 0);
    await callAt(url, "REPLICAOF", hostname, port);
    for (const end = performance.now() + LINKED_WITHIN_MS; ; await sleep(20)) {
      if (String(await callAt(url, "INFO", "replication")).includes("master_link_status:up")) return;
      if (performance.now() > end) throw new Error(`the ${who} Redis does not follow the ${whom}`);
    }
  }
}

async function callAt(url: string, command: string, ...args: (string | number)[]): Promise<unknown> {
  const redis = new Redis(url, {
    lazyConnect: true,
    retryStrategy: () => null,
    connectTimeout: 2_000,
    commandTimeout: 5_000,
  });
  redis.on("error", () => undefined);
  try {
    await redis.connect();
    return await redis.call(command, ...args);
  } finally {
    redis.disconnect();
  }
}
