/** The largest amount, and the largest figure of any balance: 2^53 − 1. */
export const MAX_AMOUNT = Number.MAX_SAFE_INTEGER;

/** Unit name → integer number of that unit, 0 … MAX_AMOUNT. */
export type Amounts = Readonly<Record<string, number>>;

/** `a × b`, or undefined where the product would pass MAX_AMOUNT. Both are non-negative integers. */
export function multiply(a: number, b: number): number | undefined {
  const product = a * b;
  return product <= MAX_AMOUNT ? product : undefined;
}

/** Every amount times `factor`; undefined where one would pass MAX_AMOUNT. */
export function scale(amounts: Amounts, factor: number): Amounts | undefined {
  const scaled: Record<string, number> = {};
  for (const unit of Object.keys(amounts)) {
    const product = multiply(amounts[unit]!, factor);
    if (product === undefined) return undefined;
    scaled[unit] = product;
  }
  return scaled;
}

/** The entry of a record that clients fill: a unit may be called "constructor", so only own properties count. */
export function lookUp<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
