import type { Balance } from "../domain/index.js";
import { Gather } from "./gather.js";
import type { LedgerMeter } from "./meter.js";
import type { CopyStore, Hold, LedgerLog, Verdict } from "./ports.js";
import type { Runtime } from "./runtime.js";

/** A copy may refuse only while it was confirmed within this time, milliseconds. */
export const FRESH_MS = 2_000;
/** After a failed call the copies are left alone for so long, milliseconds; then one call tries again. */
const BYPASS_MS = 250;

interface Ask {
  readonly tenantId: string;
  readonly holds: readonly Hold[];
}

const UNSURE: Verdict = { status: "unsure" };

/**
 * The copies as far as they can be relied on. Where they are slow, refusing or gone they are bypassed: every ask is
 * "unsure", so that the record decides alone, and one call now and then finds out whether they are back.
 */
export class Copies {
  private bypassUntil = 0;
  /** Tenants whose newest copies did not arrive, and until when an older one might still count as fresh. */
  private readonly unconfirmed = new Map<string, number>();
  private readonly asks: Gather<Ask, Verdict>;

  constructor(
    private readonly store: CopyStore | null,
    private readonly runtime: Runtime,
    private readonly log: LedgerLog,
    private readonly meter: LedgerMeter,
  ) {
    this.asks = new Gather(runtime, (asks) => this.judgeAll(asks), 128);
  }

  get state(): "used" | "bypassed" | "off" {
    if (!this.store) return "off";
    return this.bypassUntil === 0 && this.store.connected ? "used" : "bypassed";
  }

  /** Judges one ask; never fails. */
  async judge(tenantId: string, holds: readonly Hold[]): Promise<Verdict> {
    if (!this.store || this.isUnconfirmed(tenantId) || !this.mayTry()) return UNSURE;
    return this.asks.find({ tenantId, holds });
  }

  /** Stores what the record showed at `readAt` of this process's clock; never fails. */
  async remember(
    tenantId: string,
    balances: readonly Balance[],
    readAt: number,
    why: "commit" | "stale",
  ): Promise<void> {
    if (!this.store || balances.length === 0) return;
    if (!this.mayTry()) return this.doubt(tenantId);
    try {
      await this.store.remember(tenantId, balances, Math.max(0, this.runtime.now() - readAt));
      this.meter.copied(balances.length, why);
      this.succeeded();
    } catch (error) {
      this.doubt(tenantId);
      this.failed(error);
    }
  }

  private async judgeAll(asks: readonly Ask[]): Promise<Verdict[]> {
    const byTenant = new Map<string, number[]>();
    asks.forEach(({ tenantId }, i) => {
      const same = byTenant.get(tenantId);
      if (same) same.push(i);
      else byTenant.set(tenantId, [i]);
    });
    const verdicts: Verdict[] = asks.map(() => UNSURE);
    const judge = async ([tenantId, indexes]: [string, number[]]) => {
      const holds = indexes.map((i) => asks[i]!.holds);
      const results = await this.store!.judge(tenantId, holds, FRESH_MS);
      results.forEach((verdict, at) => (verdicts[indexes[at]!] = verdict));
    };
    try {
      await Promise.all([...byTenant].map(judge));
      this.succeeded();
      return verdicts;
    } catch (error) {
      this.failed(error);
      return asks.map(() => UNSURE);
    }
  }

  /** While bypassed, nobody; when the time is over, one caller, whose success opens the way for all. */
  private mayTry(): boolean {
    if (this.bypassUntil === 0) return true;
    const now = this.runtime.now();
    if (now < this.bypassUntil) return false;
    this.bypassUntil = now + BYPASS_MS;
    return true;
  }

  private succeeded(): void {
    if (this.bypassUntil === 0) return;
    this.bypassUntil = 0;
    this.log.info({}, "Redis is used again");
  }

  private failed(error: unknown): void {
    if (this.bypassUntil === 0) {
      this.meter.bypassed();
      this.log.warn({ err: error }, "Redis is bypassed: the record decides alone");
    }
    this.bypassUntil = this.runtime.now() + BYPASS_MS;
  }

  private doubt(tenantId: string): void {
    this.unconfirmed.set(tenantId, this.runtime.now() + FRESH_MS);
    if (this.unconfirmed.size > 10_000) this.sweep();
  }

  private isUnconfirmed(tenantId: string): boolean {
    if (this.unconfirmed.size === 0) return false;
    const until = this.unconfirmed.get(tenantId);
    if (until === undefined) return false;
    if (this.runtime.now() < until) return true;
    this.unconfirmed.delete(tenantId);
    return false;
  }

  private sweep(): void {
    const now = this.runtime.now();
    for (const [tenantId, until] of this.unconfirmed) if (until <= now) this.unconfirmed.delete(tenantId);
  }
}
