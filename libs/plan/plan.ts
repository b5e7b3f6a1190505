/**
 * The arithmetic of a plan: what a job intends to spend, and how much of it fits.
 *
 * Source of the formula: the public contract's definition of a plan,
 * `children × attempts × attemptCost`, where `attempts` counts the first try (2 = one try and one retry).
 */

/** The largest amount, and the largest sum of amounts: 2^53 − 1, the last integer a JSON number carries exactly. */
export const MAX_AMOUNT = Number.MAX_SAFE_INTEGER;

/** Integer amounts by unit, for example `{ tokens: 1200, usd_micros: 90 }`. */
export type Amounts = Readonly<Record<string, number>>;

/** What one scope has available by unit. A unit that is not named, or is `"unlimited"`, does not bind. */
export type Available = Readonly<Record<string, number | "unlimited">>;

export interface Plan {
  /** Pieces of child work, ≥ 0. */
  readonly children: number;
  /** Tries of each child, the first included, ≥ 0. */
  readonly attempts: number;
  /** Cost of one try, by unit. */
  readonly attemptCost: Amounts;
}

/** The planned amounts, or the first unit whose total would pass `MAX_AMOUNT`. */
export type PlannedAmounts =
  { readonly ok: true; readonly amounts: Amounts } | { readonly ok: false; readonly overflow: string };

/**
 * What the whole plan would spend, by unit: `children × attempts × attemptCost`.
 * A total above 2^53 − 1 is refused, never rounded.
 * @throws RangeError when a figure of the plan is not an amount; callers validate first.
 */
export function plannedAmounts(plan: Plan): PlannedAmounts {
  const tries = exact("children", plan.children) * exact("attempts", plan.attempts);
  const totals: [string, number][] = [];
  for (const [unit, cost] of Object.entries(plan.attemptCost)) {
    const total = tries * exact(unit, cost);
    if (total > BigInt(MAX_AMOUNT)) return { ok: false, overflow: unit };
    totals.push([unit, Number(total)]);
  }
  return { ok: true, amounts: Object.fromEntries(totals) };
}

/**
 * The largest number of children, at most `plan.children`, that fits every scope in every unit:
 * `floor(available ÷ (attempts × attemptCost))`.
 */
export function maxChildren(plan: Plan, available: readonly Available[]): number {
  return largestCount(plan.children, plan.attempts, plan.attemptCost, available);
}

/**
 * The largest number of attempts a child, at most `plan.attempts`, that fits with all children kept:
 * `floor(available ÷ (children × attemptCost))`. 0 means that not even one try of each child fits.
 */
export function maxAttempts(plan: Plan, available: readonly Available[]): number {
  return largestCount(plan.attempts, plan.children, plan.attemptCost, available);
}

/** The largest count ≤ `wanted` for which `count × each × cost` is within every available figure. */
function largestCount(wanted: number, each: number, cost: Amounts, available: readonly Available[]): number {
  let largest = exact("count", wanted);
  for (const [unit, unitCost] of Object.entries(cost)) {
    const one = exact("count", each) * exact(unit, unitCost);
    if (one === 0n) continue;
    for (const scope of available) {
      // `hasOwn`, because `constructor` is a valid unit name and every object inherits one.
      const left = Object.hasOwn(scope, unit) ? scope[unit] : undefined;
      if (left === undefined || left === "unlimited") continue;
      const fits = exact(unit, left) / one;
      if (fits < largest) largest = fits;
    }
  }
  return Number(largest);
}

/** An amount as an exact integer, so that products cannot lose digits on the way to the check. */
function exact(name: string, amount: number): bigint {
  if (!Number.isSafeInteger(amount) || amount < 0) {
    throw new RangeError(`${name} must be an integer from 0 to ${MAX_AMOUNT}, not ${amount}`);
  }
  return BigInt(amount);
}
