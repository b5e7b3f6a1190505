import type { Amounts } from "../api/types.js";
import type { Denied } from "../errors/errors.js";
import { plus, type Spent } from "../work/spending.js";
import type { Counts, ItemResult, ItemStatus, Progress } from "./types.js";

interface Entry {
  attempts: number;
  cost: Amounts;
  estimated: boolean;
  /** What the last attempt failed with. */
  error: unknown;
}

export type End<R> =
  | { readonly status: "done"; readonly value: R }
  | { readonly status: Exclude<ItemStatus, "done">; readonly error: unknown };

/** What is known of each item of a run. */
export class Book<T, R> {
  running = 0;
  private readonly entries = new Map<number, Entry>();
  private readonly results: (ItemResult<T, R> | undefined)[];
  private readonly numbers: Record<ItemStatus, number> = { done: 0, failed: 0, denied: 0, shed: 0, cancelled: 0 };
  private sum: Amounts = {};

  constructor(
    private readonly items: readonly T[],
    private readonly onResult: (result: ItemResult<T, R>, progress: Progress) => void,
  ) {
    this.results = new Array<undefined>(items.length);
  }

  get cost(): Amounts {
    return this.sum;
  }

  get counts(): Counts {
    return { ...this.numbers };
  }

  /** Counts an attempt that was run. */
  ran(index: number, { actual, estimated }: Spent, error: unknown): void {
    const entry = this.entries.get(index) ?? { attempts: 0, cost: {}, estimated: false, error: undefined };
    this.entries.set(index, {
      attempts: entry.attempts + 1,
      cost: plus(entry.cost, actual),
      estimated: entry.estimated || estimated,
      error,
    });
    this.sum = plus(this.sum, actual);
  }

  /** What the last attempt of an item failed with, else the given error. */
  errorOf(index: number, otherwise: unknown): unknown {
    return this.entries.get(index)?.error ?? otherwise;
  }

  end(index: number, end: End<R>): void {
    const { attempts = 0, cost = {}, estimated = false } = this.entries.get(index) ?? {};
    const result = { index, item: this.items[index]!, cost, estimated, attempts, ...end } as ItemResult<T, R>;
    this.entries.delete(index);
    this.results[index] = result;
    this.numbers[end.status] += 1;
    const { running, sum } = this;
    this.onResult(result, { total: this.items.length, counts: this.counts, running, cost: sum });
  }

  deny(indices: Iterable<number>, error: Denied | undefined): void {
    for (const index of indices) this.end(index, { status: "denied", error });
  }

  /** One for each item, once each has ended. */
  all(): ItemResult<T, R>[] {
    return this.results.map((result, index) => {
      if (!result) throw new Error(`item ${index} has no result`);
      return result;
    });
  }
}
