import { Random as Numbers } from "../support/random.js";

/** Choices that a seed decides: the same seed gives the same mix and the same schedule, though never the same timing. */
export class Random extends Numbers {
  constructor(private readonly seed: number) {
    super(seed);
  }

  /** A generator of its own for a part of the run, so that parts do not take each other's numbers. */
  fork(part: number): Random {
    return new Random(Math.imul(this.seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(part + 1, 0xc2b2ae35));
  }

  /** A key of the record, as often as its weight says. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const entries = Object.entries(weights) as [K, number][];
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [key, weight] of entries) if ((left -= weight) < 0) return key;
    return entries.at(-1)![0];
  }

  shuffled<T>(list: readonly T[]): T[] {
    const result = [...list];
    for (let i = result.length - 1; i > 0; i -= 1) {
      const j = this.int(0, i);
      [result[i], result[j]] = [result[j]!, result[i]!];
    }
    return result;
  }
}
