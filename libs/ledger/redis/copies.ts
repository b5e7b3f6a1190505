import type { Result } from "ioredis";
import { readFileSync } from "node:fs";
import { mastersOf, openRedis, parseRedisUrl, within, type RedisClient } from "#libs/redis";
import type { Balance } from "../domain/index.js";
import type { Copy, CopyStore, Hold, JudgedCopy, LedgerLog, Verdict } from "../protocol/ports.js";
import { copyKey } from "./keys.js";

declare module "ioredis" {
  interface RedisCommander<Context> {
    holdfastJudge(keyCount: number, ...args: (string | number)[]): Result<(string | null)[], Context>;
    holdfastRemember(keyCount: number, ...args: (string | number)[]): Result<number, Context>;
  }
}

/** Copies are kept for an hour after they were last confirmed, so that those of ended jobs go away by themselves. */
const KEEP_MS = 3_600_000;
/** Keys in one script call; Lua's unpack and Redis' fairness to other callers bound it. */
const MOST_KEYS = 1_000;

/** The statuses of scripts/judge.lua, in order of precedence. */
export const JUDGE_STATUSES = ["fits", "unsure", "denied", "stale"] as const;

export interface RedisOptions {
  readonly url: string;
  /** Longest wait for an answer, milliseconds. */
  readonly timeoutMs: number;
  readonly log: LedgerLog;
}

/** The copies in Redis. Every call fails within the time-out, and never is one sent again behind the caller's back. */
export class RedisCopies implements CopyStore {
  private readonly redis: RedisClient;
  private readonly timeoutMs: number;

  constructor({ url, timeoutMs, log }: RedisOptions) {
    this.timeoutMs = timeoutMs;
    this.redis = openRedis(parseRedisUrl(url), {
      holdfastJudge: { lua: script("judge") },
      holdfastRemember: { lua: script("remember") },
    });
    this.redis.on("ready", () => void this.checkPolicy(log));
  }

  /** An evicted copy is only looked up again, but a server that evicts is one that loses other data as well. */
  private async checkPolicy(log: LedgerLog): Promise<void> {
    const asked = mastersOf(this.redis).map((master) => master.config("GET", "maxmemory-policy"));
    for (const answer of await Promise.allSettled(asked)) {
      const [, policy] = answer.status === "fulfilled" ? answer.value : [];
      if (policy && policy !== "noeviction") {
        log.warn({ policy }, "HOLDFAST_REDIS_URL: maxmemory-policy should be noeviction");
      }
    }
  }

  get connected(): boolean {
    return this.redis.status === "ready";
  }

  async judge(tenantId: string, asks: readonly (readonly Hold[])[], freshMs: number): Promise<Verdict[]> {
    const indexes = new Map<string, number>();
    for (const holds of asks) for (const { key } of holds) if (!indexes.has(key)) indexes.set(key, indexes.size + 1);
    const keys = [...indexes.keys()].map((key) => copyKey(tenantId, key));
    const args: number[] = [freshMs, asks.length];
    for (const holds of asks) {
      args.push(holds.length);
      for (const { key, amount } of holds) args.push(indexes.get(key)!, amount);
    }
    const results = await within(this.timeoutMs, this.redis.holdfastJudge(keys.length, ...keys, ...args));
    const now = Number(results.at(-1));
    const judged = new Map<string, JudgedCopy>();
    // Those who ask together mostly meet the same copies.
    const copyOf = (key: string): JudgedCopy => {
      const copy = judged.get(key) ?? judgedCopy(results[asks.length + indexes.get(key)! - 1]!, now);
      judged.set(key, copy);
      return copy;
    };
    return asks.map((holds, i): Verdict => {
      const status = results[i] as (typeof JUDGE_STATUSES)[number];
      if (status === "unsure" || status === "stale") return { status };
      return { status, copies: holds.map(({ key }) => copyOf(key)) };
    });
  }

  async remember(tenantId: string, balances: readonly Balance[], ageMs: number): Promise<void> {
    const calls: Promise<number>[] = [];
    for (let i = 0; i < balances.length; i += MOST_KEYS) {
      const some = balances.slice(i, i + MOST_KEYS);
      const keys = some.map(({ key }) => copyKey(tenantId, key));
      const args = some.flatMap(({ version, limit, reserved, spent }) => [
        version,
        `${limit ?? ""}:${reserved}:${spent}`,
      ]);
      calls.push(this.redis.holdfastRemember(keys.length, ...keys, Math.round(ageMs), KEEP_MS, ...args));
    }
    await within(this.timeoutMs, Promise.all(calls));
  }

  async read(tenantId: string, keys: readonly string[]): Promise<(Copy | null)[]> {
    if (keys.length === 0) return [];
    const texts = await within(this.timeoutMs, this.redis.mget(keys.map((key) => copyKey(tenantId, key))));
    return texts.map(parseCopy);
  }

  async forget(tenantId: string, keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    await within(this.timeoutMs, this.redis.del(keys.map((key) => copyKey(tenantId, key))));
  }

  close(): void {
    this.redis.disconnect();
  }
}

function script(name: string): string {
  return readFileSync(new URL(`./scripts/${name}.lua`, import.meta.url), "utf8");
}

/** Of a copy that was fresh; `now` by Redis' clock. */
function judgedCopy(text: string, now: number): JudgedCopy {
  return { ...parseCopy(text)!, ageMs: now - Number(text.slice(text.lastIndexOf(":") + 1)) };
}

function parseCopy(text: string | null | undefined): Copy | null {
  const parts = /^(\d+):(\d*):(\d+):(\d+):\d+$/.exec(text ?? "");
  if (!parts) return null;
  const [, version, limit, reserved, spent] = parts;
  return {
    version: Number(version),
    limit: limit === "" ? null : Number(limit),
    reserved: Number(reserved),
    spent: Number(spent),
  };
}
