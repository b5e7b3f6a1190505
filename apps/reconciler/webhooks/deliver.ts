import type pg from "pg";
import type { LedgerLog } from "#libs/ledger";
import { MOST_ATTEMPTS, putBack, type DeliveryJob, type DeliveryOrder } from "#libs/reconcile";
import { send, type Sent, type TargetRules } from "#libs/webhooks";
import { LOOK_LATER_MS } from "./outbox.js";

/** Most attempts of one process at one webhook at once: a receiver that hangs must leave places to others. */
const MOST_AT_ONCE = 4;
const PUT_BACK_MS = 1_000;

/** A webhook that is not enabled keeps what is pending; a round that is over, or gone, leaves nothing to do. */
const LOAD = `
  SELECT d.event_id, d.webhook, d.body, w.url, w.secret,
    CASE WHEN w.old_secret_until > holdfast_now() THEN w.old_secret END AS old_secret
  FROM webhook_deliveries d JOIN webhooks w ON w.tenant_id = d.tenant_id AND w.name = d.webhook AND w.enabled
  WHERE d.tenant_id = $1 AND d.id = $2 AND d.round = $3 AND d.state = 'pending'`;

/** The record counts: two at once count both, and the last is whichever is noted last. */
const NOTE = `
  UPDATE webhook_deliveries
  SET state = CASE WHEN $4 THEN 'delivered' WHEN attempts + 1 >= $8 THEN 'failed' ELSE 'pending' END,
    attempts = attempts + 1, last_at = holdfast_now(), last_status = $5, last_error = $6,
    look_at = holdfast_now() + $7::float8 * interval '1 millisecond'
  WHERE tenant_id = $1 AND id = $2 AND round = $3 AND state = 'pending'
  RETURNING state, attempts`;

interface Noted {
  readonly state: "delivered" | "failed" | "pending";
  readonly attempts: number;
}

interface Loaded {
  readonly event_id: string;
  readonly webhook: string;
  readonly body: string;
  readonly url: string;
  readonly secret: string;
  readonly old_secret: string | null;
}

export interface DeliverOptions {
  readonly rules: TargetRules;
  readonly timeoutMs: number;
  /** The first pause between two attempts, milliseconds. */
  readonly retryMs: number;
}

/**
 * One attempt of a delivery. What the record says is sent, and what became of it is written there, after it was sent: a
 * process that dies in between sends it again. Two at once may both send it, under the same ids.
 */
export class Deliver {
  private readonly atWork = new Map<string, number>();
  private readonly stopping = new AbortController();

  constructor(
    private readonly pool: pg.Pool,
    private readonly log: LedgerLog,
    private readonly options: DeliverOptions,
  ) {}

  stop(): void {
    this.stopping.abort();
  }

  /** @throws where it was not delivered and is to be tried again. */
  async run(job: DeliveryJob, token: string | undefined): Promise<void> {
    const { tenantId, id, round } = job.data;
    const { rows } = await this.pool.query<Loaded>(LOAD, [tenantId, id, round]);
    const loaded = rows[0];
    if (!loaded) return;
    const place = `${tenantId} ${loaded.webhook}`;
    const others = this.atWork.get(place) ?? 0;
    if (others >= MOST_AT_ONCE) return putBack(job, token, PUT_BACK_MS);
    this.atWork.set(place, others + 1);
    try {
      await this.note(job, loaded, await this.send(id, loaded));
    } finally {
      const left = this.atWork.get(place)! - 1;
      if (left > 0) this.atWork.set(place, left);
      else this.atWork.delete(place);
    }
  }

  private send(deliveryId: string, { url, body, secret, old_secret: old, event_id: eventId }: Loaded): Promise<Sent> {
    const { rules, timeoutMs } = this.options;
    const secrets = old === null ? [secret] : [secret, old];
    return send({ url, body, secrets, deliveryId, eventId }, { rules, timeoutMs, signal: this.stopping.signal });
  }

  private async note({ data, attemptsMade }: DeliveryJob, { webhook }: Loaded, sent: Sent): Promise<void> {
    const { tenantId, id, round }: DeliveryOrder = data;
    const { delivered, status, error } = sent;
    // The queue tries again after this pause; only where it has lost the job does the record.
    const pauseMs = this.options.retryMs * 2 ** attemptsMade + LOOK_LATER_MS;
    const values = [tenantId, id, round, delivered, status, error, pauseMs, MOST_ATTEMPTS];
    // None where another attempt ended the round meanwhile.
    const [noted] = (await this.pool.query<Noted>(NOTE, values)).rows;
    if (noted?.state === "failed") {
      this.log.warn({ tenantId, webhook, deliveryId: id, attempts: noted.attempts, error }, "a webhook was given up");
    }
    if (noted?.state === "pending") throw new Error(error ?? "not delivered");
  }
}
