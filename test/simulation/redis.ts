import type { Balance } from "#libs/ledger";
import type { Copy, CopyStore, Hold, JudgedCopy, Verdict } from "../../libs/ledger/protocol/ports.js";
import { actor, type Actor, type Scheduler } from "./scheduler.js";
import { type Wire } from "./wire.js";

interface Stored extends Copy {
  /** Redis' time when the record showed it, milliseconds. */
  readonly at: number;
}

/** A simulated Redis: what judge.lua and remember.lua do, on a map. twins.spec.ts holds it to the scripts. */
export class SimRedis {
  readonly actor: Actor;
  copies = new Map<string, Stored>();
  /** How far its clock is ahead of virtual time, milliseconds. */
  clockAhead: number;
  /** It answers but takes no writes: read-only after a failover, or full. */
  refusesWrites = false;

  constructor(
    name: string,
    private readonly scheduler: Scheduler,
    startsAt: number,
  ) {
    this.actor = actor(name);
    this.clockAhead = startsAt;
  }

  judge(tenantId: string, asks: readonly (readonly Hold[])[], freshMs: number): Verdict[] {
    const now = this.now();
    return asks.map((holds) => {
      const copies = holds.map(({ key }) => this.copies.get(nameOf(tenantId, key)));
      const refuses = copies.some((copy, i) => copy && holds[i]!.amount > roomOf(copy));
      const allFresh = copies.every((copy) => copy && now - copy.at >= 0 && now - copy.at <= freshMs);
      if (!allFresh) return { status: refuses ? "stale" : "unsure" };
      const judged = copies.map((copy): JudgedCopy => ({ ...figuresOf(copy!), ageMs: now - copy!.at }));
      return { status: refuses ? "denied" : "fits", copies: judged };
    });
  }

  remember(tenantId: string, balances: readonly Balance[], ageMs: number): void {
    if (this.refusesWrites) throw new Error("READONLY");
    const at = this.now() - Math.round(ageMs);
    for (const balance of balances) {
      const name = nameOf(tenantId, balance.key);
      const known = this.copies.get(name);
      if (!known || known.version <= balance.version) this.copies.set(name, { ...figuresOf(balance), at });
    }
  }

  read(tenantId: string, keys: readonly string[]): (Copy | null)[] {
    return keys.map((key) => {
      const copy = this.copies.get(nameOf(tenantId, key));
      return copy ? figuresOf(copy) : null;
    });
  }

  forget(tenantId: string, keys: readonly string[]): void {
    for (const key of keys) this.copies.delete(nameOf(tenantId, key));
  }

  snapshot(): Map<string, Stored> {
    return new Map(this.copies);
  }

  private now(): number {
    return Math.floor(this.scheduler.now + this.clockAhead);
  }
}

/** One process's way to a simulated Redis; which one may change, as after a failover. */
export class SimCopies implements CopyStore {
  constructor(
    private readonly server: () => SimRedis,
    private readonly wire: Wire,
    private readonly process: Actor,
    private readonly timeoutMs: number,
  ) {}

  get connected(): boolean {
    return this.wire.state !== "cut" && this.server().actor.alive;
  }

  judge(tenantId: string, asks: readonly (readonly Hold[])[], freshMs: number): Promise<Verdict[]> {
    return this.call((redis) => redis.judge(tenantId, asks, freshMs));
  }

  remember(tenantId: string, balances: readonly Balance[], ageMs: number): Promise<void> {
    const sent = balances.map((balance) => ({ ...balance }));
    return this.call((redis) => redis.remember(tenantId, sent, ageMs));
  }

  read(tenantId: string, keys: readonly string[]): Promise<(Copy | null)[]> {
    return this.call((redis) => redis.read(tenantId, keys));
  }

  forget(tenantId: string, keys: readonly string[]): Promise<void> {
    return this.call((redis) => redis.forget(tenantId, keys));
  }

  close(): void {
    // Nothing is held open.
  }

  private call<T>(work: (redis: SimRedis) => T): Promise<T> {
    const redis = this.server();
    const { process: caller, timeoutMs } = this;
    return this.wire.call({ caller, server: redis.actor, timeoutMs, work: async () => work(redis) });
  }
}

function nameOf(tenantId: string, key: string): string {
  return `${tenantId} ${key}`;
}

function roomOf({ limit, reserved, spent }: Copy): number {
  return (limit ?? Number.MAX_SAFE_INTEGER) - reserved - spent;
}

function figuresOf({ version, limit, reserved, spent }: Copy): Copy {
  return { version, limit, reserved, spent };
}
