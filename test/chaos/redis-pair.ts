import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "../support/record.js";
import { startRedisServer, type RedisServer } from "../support/redis-servers.js";

/** One for both, since clients are led from one to the other under the address of the first. */
const PASSWORD = "of-both-servers";
const LINKED_WITHIN_MS = 20_000;

type Side = "first" | "second";

/** A Redis and its replica, to be mistreated. Their addresses stay the same. */
export class RedisPair {
  private constructor(private readonly servers: Readonly<Record<Side, RedisServer>>) {}

  static async start(within: string): Promise<RedisPair> {
    const lines = ["appendonly yes", `masterauth ${PASSWORD}`, "repl-diskless-sync-delay 0"];
    const start = () => startRedisServer({ password: PASSWORD, lines, within });
    const pair = new RedisPair({ first: await start(), second: await start() });
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
    this.servers.first.suspend();
    await sleep(ms);
    this.servers.first.resume();
  }

  /** Kills it and starts it with the data that it had `ageMs` ago. */
  async restoreOld(ageMs: number): Promise<void> {
    const { first } = this.servers;
    const data = join(first.folder, "appendonlydir");
    const copy = join(first.folder, "snapshot");
    rmSync(copy, { recursive: true, force: true });
    cpSync(data, copy, { recursive: true });
    await sleep(ageMs);
    await first.kill();
    rmSync(data, { recursive: true });
    cpSync(copy, data, { recursive: true });
    await first.restart();
  }

  call(command: string, ...args: (string | number)[]): Promise<unknown> {
    return callAt(this.servers.first, command, ...args);
  }

  /** The replica takes writes of its own from now on. */
  async split(): Promise<void> {
    await callAt(this.servers.second, "REPLICAOF", "NO", "ONE");
  }

  /** One server again: the data of the one that `wins` replaces the other's, and the first leads. */
  async heal(wins: Side): Promise<void> {
    if (wins === "second") {
      await this.follow("first", "second");
      await callAt(this.servers.first, "REPLICAOF", "NO", "ONE");
    }
    await this.follow("second", "first");
  }

  async stop(): Promise<void> {
    await Promise.all(Object.values(this.servers).map((server) => server.stop()));
  }

  private async follow(who: Side, whom: Side): Promise<void> {
    const follower = this.servers[who];
    await callAt(follower, "REPLICAOF", "127.0.0.1", this.servers[whom].port);
    await eventually(
      async () => String(await callAt(follower, "INFO", "replication")).includes("master_link_status:up"),
      LINKED_WITHIN_MS,
    );
  }
}

export async function callAt(server: RedisServer, command: string, ...args: (string | number)[]): Promise<unknown> {
  const redis = server.client();
  try {
    return await redis.call(command, ...args);
  } finally {
    redis.disconnect();
  }
}
