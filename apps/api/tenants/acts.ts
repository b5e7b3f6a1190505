import type * as rows from "../../../prisma/generated/client.js";
import { listed, pageOf, type Listed, type PageQuery } from "../lists/page.js";
import type { PrismaClient } from "../record/client.js";

/** What the operator did to a tenant, newest first. */
export async function listActs(record: PrismaClient, tenantId: string, query: PageQuery): Promise<Listed> {
  const page = pageOf(`acts ${tenantId}`, query);
  const seq = page.after === undefined ? {} : { lt: page.after };
  const acts = await record.act.findMany({ where: { tenantId, seq }, orderBy: { seq: "desc" }, take: page.limit + 1 });
  return listed(page, acts, actView);
}

function actView({ seq, act, at, jobId, actor, reason }: rows.Act): object {
  return {
    id: String(seq),
    act,
    at: at.toISOString(),
    ...(jobId !== null && { jobId }),
    actor,
    ...(reason !== null && { reason }),
  };
}
