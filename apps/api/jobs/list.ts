import { jobView } from "#libs/ledger";
import { listed, MOST_SCANNED, pageOf, type Listed } from "../lists/page.js";
import type { PrismaClient } from "../record/client.js";
import { jobOf } from "../record/entities.js";
import type { JobsQuery } from "./job.dto.js";

/** The jobs of a tenant, newest first. */
export async function listJobs(record: PrismaClient, tenantId: string, query: JobsQuery): Promise<Listed> {
  const { state, user } = query;
  const page = pageOf(`jobs ${tenantId}`, query);
  const before = page.after === undefined ? {} : { lt: page.after };
  const orderBy = { seq: "desc" } as const;
  const filtered = state !== undefined || user !== undefined;
  const end = filtered
    ? await record.job.findFirst({
        where: { tenantId, seq: before },
        orderBy,
        skip: MOST_SCANNED,
        select: { seq: true },
      })
    : null;
  const rows = await record.job.findMany({
    where: {
      tenantId,
      seq: { ...before, ...(end && { gte: end.seq }) },
      ...(state !== undefined && { state }),
      ...(user !== undefined && { userName: user }),
    },
    orderBy,
    take: page.limit + 1,
  });
  return listed(page, rows, (row) => jobView(jobOf(row)), end?.seq);
}
