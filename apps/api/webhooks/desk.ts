import { newId } from "#libs/ledger";
import { eventBody, newWebhookSecret, OPERATOR, PING, targetProblem, type TargetRules } from "#libs/webhooks";
import type * as rows from "../../../prisma/generated/client.js";
import { afterOf, cursorOf } from "../lists/cursor.js";
import { limitOf, type Listed, type PageQuery } from "../lists/page.js";
import { invalid, notFound, Problem } from "../problems/problem.js";
import { Prisma, type PrismaClient } from "../record/client.js";
import { recordNow, requireTenant } from "../record/tenants.js";
import { SERVICE_NAME } from "../validation/service-name.js";
import { DEFAULT_OVERLAP_MS, type RotateBody, type WebhookBody } from "./webhook.dto.js";
import { deliveryView, webhookView } from "./webhook.view.js";

/** Most webhooks of one tenant, and of the operator: each event is stored and sent once for each. */
const MOST_WEBHOOKS = 16;

const COLUMNS = Prisma.sql`name, url, events, enabled, old_secret_until AS "oldSecretUntil",
  created_at AS "createdAt", updated_at AS "updatedAt"`;

/** Webhooks of one owner: a tenant, or the operator. What changes them is one statement each. */
export class WebhookDesk {
  constructor(
    private readonly record: PrismaClient,
    private readonly rules: TargetRules,
  ) {}

  /** Makes one, whose secret is in the answer this once, or replaces what is set of it. */
  async set(owner: string, name: string, { url, events, enabled = true }: WebhookBody): Promise<object> {
    await this.refuseTarget(url);
    await this.refuseOwner(owner, name);
    const secret = newWebhookSecret();
    const [row] = await this.record.$queryRaw<[rows.Webhook]>(Prisma.sql`
      INSERT INTO webhooks AS w (tenant_id, name, url, events, enabled, secret, created_at, updated_at)
      VALUES (${owner}, ${name}, ${url}, ${events}, ${enabled}, ${secret}, holdfast_now(), holdfast_now())
      ON CONFLICT (tenant_id, name) DO UPDATE
      SET url = excluded.url, events = excluded.events, enabled = excluded.enabled, updated_at = excluded.updated_at
      RETURNING secret, ${COLUMNS}`);
    return { ...webhookView(row), ...(row.secret === secret && { secret }) };
  }

  async list(owner: string, query: PageQuery): Promise<Listed> {
    if (owner !== OPERATOR) await requireTenant(this.record, owner);
    const limit = limitOf(query.limit);
    const list = `webhooks ${owner}`;
    const after = afterOf(list, query.cursor, SERVICE_NAME) ?? "";
    const found = await this.record.webhook.findMany({
      where: { tenantId: owner, name: { gt: after } },
      orderBy: { name: "asc" },
      take: limit + 1,
    });
    const last = found.length > limit ? found[limit - 1] : undefined;
    return { data: found.slice(0, limit).map(webhookView), nextCursor: last ? cursorOf(list, last.name) : null };
  }

  async find(owner: string, name: string): Promise<object> {
    const row = await this.record.webhook.findUnique({ where: { tenantId_name: { tenantId: owner, name } } });
    return webhookView(there(row));
  }

  /** What was not delivered yet goes with it, and so does the history. */
  async remove(owner: string, name: string): Promise<object> {
    const [removed] = await this.record.$transaction([
      this.record.$queryRaw<rows.Webhook[]>(Prisma.sql`
        DELETE FROM webhooks WHERE tenant_id = ${owner} AND name = ${name} RETURNING ${COLUMNS}`),
      this.record.webhookDelivery.deleteMany({ where: { tenantId: owner, webhook: name } }),
    ]);
    return webhookView(there(removed[0]));
  }

  async rotate(owner: string, name: string, { overlapMs = DEFAULT_OVERLAP_MS }: RotateBody): Promise<object> {
    const secret = newWebhookSecret();
    const [row] = await this.record.$queryRaw<rows.Webhook[]>(Prisma.sql`
      UPDATE webhooks SET secret = ${secret}, old_secret = secret, updated_at = holdfast_now(),
        old_secret_until = holdfast_now() + ${overlapMs}::float8 * interval '1 millisecond'
      WHERE tenant_id = ${owner} AND name = ${name} RETURNING ${COLUMNS}`);
    return { ...webhookView(there(row)), secret };
  }

  /** Adds an event that says nothing but that it arrives. */
  async ping(owner: string, name: string): Promise<object> {
    const head = {
      id: newId("evt"),
      type: PING,
      createdAt: new Date(await recordNow(this.record)),
      tenantId: owner === OPERATOR ? null : owner,
    } as const;
    const [row] = await this.record.$queryRaw<rows.WebhookDelivery[]>(Prisma.sql`
      INSERT INTO webhook_deliveries (tenant_id, id, webhook, event_id, type, body, state, look_at, created_at)
      SELECT tenant_id, ${newId("dlv")}, name, ${head.id}, ${PING}, ${eventBody(head, {})}, 'pending',
        holdfast_now(), holdfast_now()
      FROM webhooks WHERE tenant_id = ${owner} AND name = ${name}
      RETURNING ${DELIVERY}`);
    return deliveryView(there(row));
  }

  private async refuseTarget(url: string): Promise<void> {
    const message = await targetProblem(url, this.rules);
    if (message !== null) throw invalid([{ pointer: "/url", message }]);
  }

  private async refuseOwner(owner: string, name: string): Promise<void> {
    const [tenants, others] = await Promise.all([
      owner === OPERATOR ? 1 : this.record.tenant.count({ where: { id: owner, state: { not: "deleted" } } }),
      this.record.webhook.count({ where: { tenantId: owner, name: { not: name } } }),
    ]);
    if (tenants === 0) throw notFound("tenant");
    if (others >= MOST_WEBHOOKS) throw new Problem("conflict", `There are ${MOST_WEBHOOKS} webhooks already.`);
  }
}

export const DELIVERY = Prisma.sql`id, seq, webhook, event_id AS "eventId", type, body, state, attempts,
  created_at AS "createdAt", last_at AS "lastAt", last_status AS "lastStatus", last_error AS "lastError"`;

export function there<Row>(row: Row | null | undefined, what = "webhook"): Row {
  if (!row) throw notFound(what);
  return row;
}
