import type { Amounts } from "../api/types.js";
import { readUsage, UNKNOWN, type Unknown, type Usage } from "../costs/index.js";

export interface Costing {
  /** What the attempt was reserved with, in every unit: settled for where nothing better is known. */
  readonly planned: Amounts;
  /**
   * What a usage comes to, in every unit of `planned`; others are left out. Usually
   * `(usage) => ({ tokens: totalTokens(usage), usd_micros: prices.cost(model, usage) })`.
   */
  readonly amounts: (usage: Usage) => Amounts;
}

/** What to settle or to finish an attempt with. */
export interface Settlement {
  /** The units of `planned` and no others, as a settle wants them. */
  readonly actual: Amounts;
  /** Some or all of `actual` is what was planned, since what was used is not known or has no price. */
  readonly estimated: boolean;
  /** Why it is estimated, in words. */
  readonly reason?: string;
  readonly usage: Usage | Unknown;
}

/** What to settle a whole response with: what its usage comes to, else the planned amounts, marked estimated. Never throws. */
export function settlementOf(response: unknown, costing: Costing): Settlement {
  return settle(readUsage(response), costing);
}

/**
 * The same for a usage that is read already. The work is done and paid for, so a price that is missing now is no reason
 * to settle nothing.
 */
export function settle(usage: Usage | Unknown, { planned, amounts }: Costing): Settlement {
  if (usage === UNKNOWN) return { actual: planned, estimated: true, reason: "no usage was told", usage };
  let actual: Amounts;
  try {
    actual = amounts(usage);
    const wrong = Object.entries(actual).find(([, amount]) => !(Number.isSafeInteger(amount) && amount >= 0));
    if (wrong) throw new RangeError(`${wrong[0]} came to ${String(wrong[1])}, which is no whole number ≥ 0`);
  } catch (error) {
    return { actual: planned, estimated: true, reason: error instanceof Error ? error.message : String(error), usage };
  }
  const units = Object.keys(planned);
  const missing = units.filter((unit) => !Object.hasOwn(actual, unit));
  const all = Object.fromEntries(
    units.map((unit) => [unit, Object.hasOwn(actual, unit) ? actual[unit]! : planned[unit]!]),
  );
  if (missing.length === 0) return { actual: all, estimated: false, usage };
  return { actual: all, estimated: true, reason: `the usage was not told in ${missing.join(", ")}`, usage };
}
