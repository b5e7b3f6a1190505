import type { Counter } from "prom-client";

/** What was counted, summed over all labels but one: value of that label → count. */
export async function sumBy<L extends string>(counter: Counter<L>, label: L): Promise<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const { labels, value } of (await counter.get()).values) {
    const key = String(labels[label]);
    sums[key] = (sums[key] ?? 0) + value;
  }
  return sums;
}

/** What was counted in all. */
export async function total(counter: Counter<string>): Promise<number> {
  return (await counter.get()).values.reduce((sum, { value }) => sum + value, 0);
}
