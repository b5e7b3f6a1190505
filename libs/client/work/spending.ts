import type { Amounts } from "../api/types.js";

/** What is watched while work runs, such as a metered stream: asked once, when the work has ended. */
export interface Watched {
  settlement(): { readonly actual: Amounts; readonly estimated: boolean };
}

/** What work used. */
export interface Spent {
  /** Every unit that was reserved. */
  readonly actual: Amounts;
  /** Some of it is what was planned, since what was used was not told. */
  readonly estimated: boolean;
}

/** What one piece of work tells of its use. */
export class Spending {
  private readonly told = new Map<string, number>();
  private readonly watched: Watched[] = [];

  /** @param planned what the work was reserved with, in every unit. */
  constructor(readonly planned: Amounts) {}

  /**
   * Adds to what was used; several calls add up, and an explicit 0 says that nothing was.
   * @throws RangeError where an amount is no integer ≥ 0, or its unit was not reserved.
   */
  add(amounts: Amounts): void {
    const sums = Object.entries(amounts).map(([unit, amount]): [string, number] => {
      const sum = (this.told.get(unit) ?? 0) + amount;
      if (!Object.hasOwn(this.planned, unit)) throw new RangeError(`${unit} was not reserved`);
      if (!(Number.isSafeInteger(amount) && amount >= 0 && Number.isSafeInteger(sum)))
        throw new RangeError(`${unit}: ${String(amount)} is no integer from 0 on, or takes the sum beyond 2^53 − 1`);
      return [unit, sum];
    });
    for (const [unit, sum] of sums) this.told.set(unit, sum);
  }

  watch(watched: Watched): void {
    this.watched.push(watched);
  }

  /**
   * What to settle with. A unit of which nothing was told counts as planned, marked estimated: work that ran may have used
   * it, however it ended. Only a service's own refusal (`refused`) says that nothing was used.
   */
  total({ refused = false } = {}): Spent {
    const settlements = this.watched.map((watched) => this.settlementOf(watched));
    const sums = new Map(this.told);
    for (const { actual } of settlements)
      for (const unit of Object.keys(this.planned))
        if (Object.hasOwn(actual, unit)) sums.set(unit, (sums.get(unit) ?? 0) + actual[unit]!);
    const fallback = (unit: string): number => (refused ? 0 : this.planned[unit]!);
    const actual = Object.keys(this.planned).map((unit) => [unit, sums.get(unit) ?? fallback(unit)] as const);
    const untold = Object.keys(this.planned).some((unit) => !sums.has(unit) && this.planned[unit] !== 0);
    return {
      actual: Object.fromEntries(actual),
      estimated: (untold && !refused) || settlements.some(({ estimated }) => estimated),
    };
  }

  /** The work is over and may have used all, so a meter that cannot tell counts as planned. */
  private settlementOf(watched: Watched): Spent {
    try {
      const { actual, estimated } = watched.settlement();
      if (isAmounts(actual)) return { actual, estimated };
    } catch {
      // The same.
    }
    return { actual: this.planned, estimated: true };
  }
}

function isAmounts(actual: Amounts): boolean {
  return Object.values(actual).every((amount) => Number.isSafeInteger(amount) && amount >= 0);
}

/** Every unit, 0. */
export function nothingOf(planned: Amounts): Amounts {
  return Object.fromEntries(Object.keys(planned).map((unit) => [unit, 0]));
}

/** The sum, in the units of both. */
export function plus(some: Amounts, more: Amounts): Amounts {
  const units = new Set([...Object.keys(some), ...Object.keys(more)]);
  return Object.fromEntries([...units].map((unit) => [unit, (some[unit] ?? 0) + (more[unit] ?? 0)]));
}
