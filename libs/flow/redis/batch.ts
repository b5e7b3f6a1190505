import type { Part, PartGate } from "./parts.js";

/** What a script answers to one ask: a status, or a status and what belongs to it. */
export type Answer = string | readonly unknown[];

export type Named = Readonly<Record<string, unknown>>;

/** Asks that one call of a script answers; every key, and every gate with its limits, is sent once. */
export class Batch {
  readonly keys: string[] = [];
  private readonly firsts = new Map<string, number>();
  private readonly gates: { scope: PartGate["scope"]; limits: PartGate["limits"]; first: number }[] = [];
  private readonly asks: object[] = [];

  get size(): number {
    return this.asks.length;
  }

  add({ gates, attempts, retries, queue }: Part, named: Named): void {
    this.asks.push({
      ...named,
      gates: gates.map((gate) => this.gateOf(gate)),
      ...(attempts !== undefined && { attempts: this.firstOf([attempts]) }),
      ...(retries !== undefined && { retries: this.firstOf([retries]) }),
      ...(queue && { queue: this.firstOf(queue) }),
    });
  }

  /** Everything but the keys, as the scripts read it: see scripts/includes/eachOf.lua. */
  text(): string {
    return JSON.stringify({ gates: this.gates, asks: this.asks });
  }

  /** Numbers count from 1, as in Lua. */
  private gateOf({ scope, keys, limits }: PartGate): number {
    const first = this.firstOf(keys);
    // Settings may have changed between two asks.
    const known = this.gates.findIndex((gate) => gate.first === first && gate.limits === limits);
    return known >= 0 ? known + 1 : this.gates.push({ scope, limits, first });
  }

  /** No two kinds of keys begin with the same one. */
  private firstOf(keys: readonly string[]): number {
    const known = this.firsts.get(keys[0]!);
    if (known !== undefined) return known;
    const first = this.keys.push(...keys) - keys.length + 1;
    this.firsts.set(keys[0]!, first);
    return first;
  }
}
