import type pg from "pg";
import { OPERATOR, type EventType } from "#libs/webhooks";

/** Looks at one kind of state, and adds an event for what differs from what was told last. */
export interface Look {
  readonly type: EventType;
  /** How many events it added. Stops soon once aborted. */
  run(signal: AbortSignal): Promise<number>;
}

/** What was told last of a subject; null where nothing was. */
export async function toldOf(
  client: pg.ClientBase | pg.Pool,
  tenantId: string,
  subject: string,
): Promise<string | null> {
  const { rows } = await client.query<{ state: string }>(
    "SELECT state FROM webhook_told WHERE tenant_id = $1 AND subject = $2",
    [tenantId, subject],
  );
  return rows[0]?.state ?? null;
}

/**
 * Writes down what is told now, and locks it until the transaction ends: whoever looks at the same time waits here, and then
 * finds that it was told. False where it was.
 */
export async function tellOnce(
  client: pg.ClientBase,
  tenantId: string,
  subject: string,
  state: string,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `INSERT INTO webhook_told AS t (tenant_id, subject, state) VALUES ($1, $2, $3)
     ON CONFLICT (tenant_id, subject) DO UPDATE SET state = excluded.state WHERE t.state <> excluded.state`,
    [tenantId, subject, state],
  );
  return rowCount === 1;
}

/** Whether any webhook wants such events: else nobody need look. */
export async function isWanted(pool: pg.Pool, type: EventType): Promise<boolean> {
  const { rows } = await pool.query("SELECT FROM webhooks WHERE enabled AND $1 = ANY (events) LIMIT 1", [type]);
  return rows.length > 0;
}

/** The subjects of what belongs to no one tenant stand under the operator. */
export const NO_TENANT = OPERATOR;
