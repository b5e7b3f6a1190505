import { scale, type Amounts } from "./amounts.js";
import { available, fits, type Figures, type Scope } from "./figures.js";

/** A plan: what a job intends to spend. `attempts` counts the first try: 2 means one try and one retry. */
export interface PlanAsk {
  readonly children: number;
  readonly attempts: number;
  readonly attemptCost: Amounts;
}

/** What a job wants to reserve: `children × attempts × attemptCost`, or plain amounts. */
export type Ask = PlanAsk | { readonly amounts: Amounts };

/** Why an allowance refused. Amounts are of `unit`; `limit` null means unlimited (integers end at 2^53 − 1). */
export interface Denial {
  /** `exceeds_limit`: more than the limit itself, so it can never fit. */
  readonly code: "allowance_exhausted" | "exceeds_limit";
  readonly scope: Scope;
  readonly unit: string;
  readonly limit: number | null;
  readonly spent: number;
  readonly reserved: number;
  readonly available: number;
  readonly requested: number;
  /** For a plan: the largest number of children that would fit now at every scope. */
  readonly maxChildren?: number;
}

/** An ask in the one form that is decided: so many children, each of which holds `perChild`. */
export interface SizedAsk {
  readonly children: number;
  /** For a plan `attempts × attemptCost`; for plain amounts, the amounts of the one child. */
  readonly perChild: Amounts;
  readonly total: Amounts;
  readonly isPlan: boolean;
}

/** Source: planned cost = children × attempts × cost of an attempt. Undefined where a product would pass 2^53 − 1. */
export function sizeOf(ask: Ask): SizedAsk | undefined {
  if ("amounts" in ask) return { children: 1, perChild: ask.amounts, total: ask.amounts, isPlan: false };
  const perChild = scale(ask.attemptCost, ask.attempts);
  const total = perChild && scale(perChild, ask.children);
  return total && { children: ask.children, perChild, total, isPlan: true };
}

/** One allowance that binds an ask, with its figures at the moment of the decision. */
export interface Bound {
  readonly scope: Scope;
  readonly unit: string;
  readonly figures: Figures;
}

/**
 * Decides an ask against everything that binds it: all of it or nothing, at every scope and in every unit. `bounds`
 * come narrowest scope first (job, user, the tenant's share of a service, tenant, service). The denial names the first one that can never hold the
 * ask, else the first that cannot hold it now.
 */
export function denialOf(ask: SizedAsk, children: number, bounds: readonly Bound[]): Denial | null {
  let first: Bound | undefined;
  for (const bound of bounds) {
    const requested = ask.perChild[bound.unit]! * children;
    if (fits(bound.figures, requested)) continue;
    if (bound.figures.limit !== null && requested > bound.figures.limit) {
      return describe(ask, requested, bound, bounds, "exceeds_limit");
    }
    first ??= bound;
  }
  return first ? describe(ask, ask.perChild[first.unit]! * children, first, bounds, "allowance_exhausted") : null;
}

/** The largest number of children, at most those asked for, that fits at every scope now. */
export function maxChildren(ask: SizedAsk, bounds: readonly Bound[]): number {
  let most = ask.children;
  for (const { unit, figures } of bounds) {
    const each = ask.perChild[unit]!;
    if (!fits(figures, 0)) return 0;
    if (each > 0) most = Math.min(most, Math.floor(available(figures) / each));
  }
  return most;
}

function describe(
  ask: SizedAsk,
  requested: number,
  { scope, unit, figures }: Bound,
  bounds: readonly Bound[],
  code: Denial["code"],
): Denial {
  return {
    code,
    scope,
    unit,
    limit: figures.limit,
    spent: figures.spent,
    reserved: figures.reserved,
    available: available(figures),
    requested,
    ...(ask.isPlan && { maxChildren: maxChildren(ask, bounds) }),
  };
}

/** True where even integers end: such an ask is refused also where limits only observe. */
export function passesIntegers(ask: SizedAsk, bounds: readonly Bound[]): boolean {
  return bounds.some(({ unit, figures }) => !fits({ ...figures, limit: null }, ask.total[unit]!));
}

/**
 * The largest number of attempts a child, at most those planned, that fits with all children kept. Undefined where the
 * plan has no size.
 */
export function maxAttempts(
  { children, attempts, attemptCost }: PlanAsk,
  bounds: readonly Bound[],
): number | undefined {
  // The product does not care which factor is asked for.
  const ask = sizeOf({ children: attempts, attempts: children, attemptCost });
  return ask && maxChildren(ask, bounds);
}
