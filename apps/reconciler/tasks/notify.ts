import { messageOf } from "../log.js";
import type { Look } from "../webhooks/looks.js";
import type { Tally, Task } from "../task.js";

/**
 * Looks at what webhooks are told of, writes down what is new as deliveries, and hands those that are due to the queue.
 * `handled` counts events. A look that fails keeps none of the others, and comes again with the next run.
 */
export class Notify implements Task {
  readonly name = "notify";
  readonly alone = true;

  constructor(
    private readonly looks: readonly Look[],
    private readonly orderDue: () => Promise<void>,
    readonly everyMs: number,
  ) {}

  async run(tally: Tally, signal: AbortSignal): Promise<"done"> {
    for (const look of this.looks) {
      if (signal.aborted) return "done";
      await this.attempt(look.type, tally, async () => void (tally.handled += await look.run(signal)));
    }
    await this.attempt("deliveries", tally, () => this.orderDue());
    return "done";
  }

  private async attempt(what: string, tally: Tally, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      tally.failed += 1;
      tally.detail = { ...tally.detail, [what]: messageOf(error) };
    }
  }
}
