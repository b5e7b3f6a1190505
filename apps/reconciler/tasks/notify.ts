import type { Look } from "../webhooks/looks.js";
import { attempt, type Tally, type Task } from "../task.js";

/**
 * Looks at what webhooks are told of, writes down what is new as deliveries, and hands those that are due to the queue.
 * `handled` counts events.
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
      await attempt(look.type, tally, async () => void (tally.handled += await look.run(signal)));
    }
    await attempt("deliveries", tally, () => this.orderDue());
    return "done";
  }
}
