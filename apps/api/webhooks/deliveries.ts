import type * as rows from "../../../prisma/generated/client.js";
import { listed, pageOf, type Listed } from "../lists/page.js";
import { notFound } from "../problems/problem.js";
import { Prisma, type PrismaClient } from "../record/client.js";
import { deliveryView } from "./webhook.view.js";
import type { DeliveriesQuery } from "./webhook.dto.js";
import { DELIVERY, there } from "./desk.js";

/** Throws Problem where there is no such webhook. */
export async function listDeliveries(
  record: PrismaClient,
  tenantId: string,
  webhook: string,
  query: DeliveriesQuery,
): Promise<Listed> {
  const page = pageOf(`deliveries ${tenantId} ${webhook} ${query.state ?? ""}`, query);
  const seq = page.after === undefined ? {} : { lt: page.after };
  const [webhooks, found] = await Promise.all([
    record.webhook.count({ where: { tenantId, name: webhook } }),
    record.webhookDelivery.findMany({
      where: { tenantId, webhook, seq, ...(query.state && { state: query.state }) },
      orderBy: { seq: "desc" },
      take: page.limit + 1,
    }),
  ]);
  if (webhooks === 0) throw notFound("webhook");
  return listed(page, found, deliveryView);
}

/** Sends it again, whatever became of it: under the ids that it had, and with all attempts anew. */
export async function resendDelivery(
  record: PrismaClient,
  tenantId: string,
  webhook: string,
  id: string,
): Promise<object> {
  const [row] = await record.$queryRaw<rows.WebhookDelivery[]>(Prisma.sql`
    UPDATE webhook_deliveries SET state = 'pending', round = round + 1, attempts = 0, look_at = holdfast_now()
    WHERE tenant_id = ${tenantId} AND webhook = ${webhook} AND id = ${id}
    RETURNING ${DELIVERY}`);
  return deliveryView(there(row, "delivery"));
}
