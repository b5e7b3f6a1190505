import { exact, isCount, type Usage } from "./usage.js";

/**
 * Prices of one model: for a million tokens, whole numbers of the smallest unit that you count in. In millionths of a
 * dollar (`usd_micros`), 3 dollars a million are 3 000 000. An explicit 0 is a price of 0.
 */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Left out: the price of `input`. */
  readonly cacheRead?: number;
  /** Left out: the price of `input`. Give it where the provider asks more for writing a cache. */
  readonly cacheWrite?: number;
  /** Left out: the price of `cacheWrite`. */
  readonly cacheWrite1h?: number;
}

/** A model that the table does not price. It is never free: what it cost has to be assumed. */
export class UnknownModel extends Error {
  override readonly name = "UnknownModel";

  constructor(readonly model: string) {
    super(`the price table has no model ${JSON.stringify(model)}`);
  }
}

const FIELDS = ["input", "output", "cacheRead", "cacheWrite", "cacheWrite1h"] as const;
const MILLION = 1_000_000n;

/** What models cost: yours, by the names that you ask for. A name is looked up as it is; nothing is guessed from its beginning. */
export class PriceTable {
  private readonly prices: ReadonlyMap<string, Required<Price>>;

  /** @throws RangeError where a price is no whole number, 0 … 2^53 − 1; it names model and field. */
  constructor(prices: Readonly<Record<string, Price>>) {
    this.prices = new Map(Object.entries(prices).map(([model, price]) => [model, complete(model, price)]));
  }

  has(model: string): boolean {
    return this.prices.has(model);
  }

  /**
   * What a usage costs, in the unit of the prices. Exact: the sum over all kinds of tokens is rounded up, once, to a whole
   * unit, so a call that used anything priced costs at least 1. To cost a plan, give the most tokens that it may use.
   * @throws UnknownModel
   * @throws RangeError where a count is no whole number ≥ 0, or the cost is above 2^53 − 1.
   */
  cost(model: string, usage: Partial<Omit<Usage, "inconsistent">>): number {
    const price = this.prices.get(model);
    if (!price) throw new UnknownModel(model);
    if (typeof usage !== "object") throw new RangeError("an unknown usage has no cost");
    let sum = 0n;
    for (const field of FIELDS) {
      const tokens = usage[field] ?? 0;
      if (!isCount(tokens)) throw new RangeError(`${field} tokens must be a whole number ≥ 0, not ${tokens}`);
      sum += BigInt(tokens) * BigInt(price[field]);
    }
    return exact((sum + MILLION - 1n) / MILLION);
  }
}

function complete(model: string, price: Price): Required<Price> {
  for (const field of FIELDS) {
    const given = price[field];
    const optional = field !== "input" && field !== "output";
    if (isCount(given) || (optional && given === undefined)) continue;
    throw new RangeError(`price ${field} of ${JSON.stringify(model)} must be a whole number ≥ 0, not ${String(given)}`);
  }
  const { input, output, cacheRead = input, cacheWrite = input, cacheWrite1h = cacheWrite } = price;
  return { input, output, cacheRead, cacheWrite, cacheWrite1h };
}
