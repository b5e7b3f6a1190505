import type { FanOutReport, ItemResult } from "./types.js";

/**
 * A fan-out that runs: await it for the report, or walk through the results as they come, in the order of their ends. A loop that is
 * left early stops the run and waits until it has settled. It starts by itself, and rejects only where nothing could be
 * started, or where a callback threw.
 */
export class FanOut<T, R> implements PromiseLike<FanOutReport<T, R>>, AsyncIterable<ItemResult<T, R>> {
  private readonly ready: ItemResult<T, R>[] = [];
  /** Loops that have nothing to read yet: more than one share the results. */
  private readonly waiting: (() => void)[] = [];
  private over = false;
  private readonly report: Promise<FanOutReport<T, R>>;

  /**
   * @param run reports each result when it is there.
   * @param stop aborts the run.
   */
  constructor(
    run: (onResult: (result: ItemResult<T, R>) => void) => Promise<FanOutReport<T, R>>,
    private readonly stop: (reason: unknown) => void,
  ) {
    this.report = run((result) => {
      this.ready.push(result);
      this.wake();
    }).finally(() => {
      this.over = true;
      this.wake();
    });
    // Whoever awaits it or walks through it hears of it; a second report of the same would end the process.
    this.report.catch(() => undefined);
  }

  then<A = FanOutReport<T, R>, B = never>(
    onDone?: ((report: FanOutReport<T, R>) => A | PromiseLike<A>) | null,
    onFailed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.report.then(onDone, onFailed);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ItemResult<T, R>, void, undefined> {
    try {
      for (;;) {
        while (this.ready.length > 0) yield this.ready.shift()!;
        if (this.over) break;
        await new Promise<void>((resolve) => this.waiting.push(resolve));
      }
    } finally {
      if (!this.over) this.stop(new DOMException("the results are not read any more", "AbortError"));
      await this.report;
    }
  }

  private wake(): void {
    for (const wake of this.waiting.splice(0)) wake();
  }
}
