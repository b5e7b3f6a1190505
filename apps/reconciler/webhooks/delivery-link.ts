import {
  MOST_ATTEMPTS,
  openDeliveryQueue,
  openDeliveryWorker,
  type DeliveryOrder,
  type DeliveryQueue,
} from "#libs/reconcile";
import type { Troubles } from "../log.js";
import { QueueKeeper } from "../queue-keeper.js";
import type { Deliver } from "./deliver.js";

/** Keeps BullMQ's queue of deliveries and its worker. What it loses is found again in the record. */
export class DeliveryLink {
  private readonly keeper: QueueKeeper<DeliveryQueue>;
  private started = false;

  constructor(
    databaseUrl: string,
    retryMs: number,
    private readonly deliver: Deliver,
    troubles: Troubles,
  ) {
    this.keeper = new QueueKeeper({
      databaseUrl,
      open: (pool) => ({
        queue: openDeliveryQueue(pool, retryMs),
        worker: openDeliveryWorker(pool, (job, token) => deliver.run(job, token)),
      }),
      begin: () => Promise.resolve(),
      troubles,
      away: "the queue of webhooks is away: deliveries wait in the record",
    });
  }

  /** Starts it where it is not started yet: a process pays for a queue only where there are webhooks. */
  start(): void {
    if (!this.started) this.keeper.start();
    this.started = true;
  }

  /** False while the queue is away. An order that is in the queue already is not doubled. */
  async order(orders: readonly (DeliveryOrder & { readonly attempts: number })[]): Promise<boolean> {
    const queue = this.keeper.current;
    if (!queue) return false;
    await queue.addBulk(
      orders.map(({ tenantId, id, round, attempts }) => ({
        name: "deliver",
        data: { tenantId, id, round },
        opts: { jobId: `${id}-${round}`, attempts: Math.max(1, MOST_ATTEMPTS - attempts) },
      })),
    );
    return true;
  }

  /** Breaks off what is being sent; it is sent again by another process, or after the next start. */
  async close(): Promise<void> {
    this.deliver.stop();
    await this.keeper.close();
  }
}
