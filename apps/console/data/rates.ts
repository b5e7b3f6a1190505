import type { Sample } from "./use-samples.js";

/** Counters that only grow while their process runs. */
export type Counters = Readonly<Record<string, number>>;

export interface Rate {
  readonly at: number;
  readonly [counter: string]: number;
}

/** How much each counter grew a second, between one sample and the next. */
export function ratesOf(samples: readonly Sample<Counters>[]): Rate[] {
  return samples.slice(1).map(({ at, value }, index) => {
    const before = samples[index]!;
    const seconds = Math.max((at - before.at) / 1_000, 0.001);
    const rates = Object.entries(value).map(([name, now]) => {
      // A process that was started anew counts from zero.
      const grown = Math.max(0, now - (before.value[name] ?? 0));
      return [name, Math.round((grown / seconds) * 100) / 100];
    });
    return { at, ...Object.fromEntries(rates) };
  });
}
