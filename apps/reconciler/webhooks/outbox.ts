import type pg from "pg";
import { newId } from "#libs/ledger";
import type { DeliveryOrder } from "#libs/reconcile";
import { eventBody, OPERATOR, type EventType } from "#libs/webhooks";

/** How long the queue is trusted with a delivery beyond the time at which it should have tried it, milliseconds. */
export const LOOK_LATER_MS = 30_000;
/** Deliveries of one webhook that one look hands to the queue: a long backlog of one must not keep the others waiting. */
const MOST_ORDERED = 50;

/** Webhooks that want an event of a tenant, its own and the operator's; of no one tenant ($1 null), all that want it. */
const WANTING = `
  SELECT tenant_id, name FROM webhooks
  WHERE enabled AND $2 = ANY (events) AND ($1::text IS NULL OR tenant_id IN ($1, '${OPERATOR}'))
  ORDER BY tenant_id, name`;

const ADD = `
  INSERT INTO webhook_deliveries (tenant_id, id, webhook, event_id, type, body, state, look_at, created_at)
  SELECT tenant_id, id, webhook, $4, $5, $6, 'pending', $7, $7
  FROM unnest($1::text[], $2::text[], $3::text[]) AS d(tenant_id, id, webhook)`;

const DUE = `
  SELECT d.tenant_id AS "tenantId", d.id, d.round, d.attempts
  FROM webhooks w CROSS JOIN LATERAL (
    SELECT tenant_id, id, round, attempts, look_at FROM webhook_deliveries d
    WHERE d.tenant_id = w.tenant_id AND d.webhook = w.name AND d.state = 'pending' AND d.look_at <= (SELECT holdfast_now())
    ORDER BY d.look_at LIMIT ${MOST_ORDERED}) d
  WHERE w.enabled`;

/** An attempt that is over by now has set its own time. */
const ORDERED = `
  UPDATE webhook_deliveries d SET look_at = holdfast_now() + interval '${LOOK_LATER_MS} milliseconds'
  FROM unnest($1::text[], $2::text[], $3::int[]) AS o(tenant_id, id, round)
  WHERE d.tenant_id = o.tenant_id AND d.id = o.id AND d.round = o.round AND d.state = 'pending'
    AND d.look_at <= holdfast_now()`;

export interface NewEvent {
  readonly type: EventType;
  /** null: of no one tenant. */
  readonly tenantId: string | null;
  readonly data: object;
}

/**
 * Adds an event for each webhook that wants it, in the transaction that writes down that it was told: so it is told once,
 * however many processes look. Returns to how many.
 */
export async function addEvent(client: pg.ClientBase, { type, tenantId, data }: NewEvent): Promise<number> {
  const { rows: hooks } = await client.query<{ tenant_id: string; name: string }>(WANTING, [tenantId, type]);
  if (hooks.length === 0) return 0;
  const { rows } = await client.query<{ now: Date }>("SELECT holdfast_now() AS now");
  const createdAt = rows[0]!.now;
  const id = newId("evt");
  const columns = [hooks.map((hook) => hook.tenant_id), hooks.map(() => newId("dlv")), hooks.map((hook) => hook.name)];
  await client.query(ADD, [...columns, id, type, eventBody({ id, type, createdAt, tenantId }, data), createdAt]);
  return hooks.length;
}

/** The queue of deliveries. */
export interface Orders {
  start(): void;
  /** False where it is away. */
  order(orders: readonly (DeliveryOrder & { readonly attempts: number })[]): Promise<boolean>;
}

/**
 * Hands what is to be sent to the queue: what is new, what was sent again by hand, and what the queue has lost. Where the
 * process dies in between, the next look does it again, and the queue knows what it has by its id.
 */
export async function orderDue(pool: pg.Pool, queue: Orders): Promise<void> {
  const { rowCount } = await pool.query("SELECT FROM webhooks LIMIT 1");
  if (rowCount === 0) return;
  queue.start();
  const { rows: due } = await pool.query<DeliveryOrder & { attempts: number }>(DUE);
  if (due.length === 0 || !(await queue.order(due))) return;
  await pool.query(ORDERED, [due.map((row) => row.tenantId), due.map((row) => row.id), due.map((row) => row.round)]);
}

/** Runs it in one transaction on one connection. */
export async function inTransaction<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let isBroken = true;
  try {
    await client.query("BEGIN");
    const result = await work(client);
    await client.query("COMMIT");
    isBroken = false;
    return result;
  } finally {
    // A transaction that is not over ends with its connection.
    client.release(isBroken);
  }
}
