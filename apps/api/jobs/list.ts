import { jobView } from "#libs/ledger";
import { listed, MOST_SCANNED, pageOf, type Listed, type PageQuery } from "../lists/page.js";
import { notFound } from "../problems/problem.js";
import type { PrismaClient } from "../record/client.js";
import { jobOf } from "../record/entities.js";
import type { JobsQuery } from "./job.dto.js";

/** The jobs of a tenant, newest first. */
export async function listJobs(record: PrismaClient, tenantId: string, query: JobsQuery): Promise<Listed> {
  const { state, user, parentJobId } = query;
  const page = pageOf(`jobs ${tenantId}`, query);
  const before = page.after === undefined ? {} : { lt: page.after };
  const orderBy = { seq: "desc" } as const;
  // Children are found by their parent, so only what is left out among them is scanned in vain.
  const parent = parentJobId === undefined ? {} : { parentId: parentJobId };
  const filtered = state !== undefined || user !== undefined;
  const end = filtered
    ? await record.job.findFirst({
        where: { tenantId, ...parent, seq: before },
        orderBy,
        skip: MOST_SCANNED,
        select: { seq: true },
      })
    : null;
  const rows = await record.job.findMany({
    where: {
      tenantId,
      ...parent,
      seq: { ...before, ...(end && { gte: end.seq }) },
      ...(state !== undefined && { state }),
      ...(user !== undefined && { userName: user }),
    },
    orderBy,
    take: page.limit + 1,
  });
  return listed(page, rows, (row) => jobView(jobOf(row)), end?.seq);
}

/** The children of a job, newest first. Throws Problem where there is no such job. */
export async function listChildren(
  record: PrismaClient,
  tenantId: string,
  jobId: string,
  query: PageQuery,
): Promise<Listed> {
  const page = pageOf(`children ${jobId}`, query);
  const seq = page.after === undefined ? {} : { lt: page.after };
  const [jobs, rows] = await Promise.all([
    record.job.count({ where: { tenantId, id: jobId } }),
    record.job.findMany({
      where: { tenantId, parentId: jobId, seq },
      orderBy: { seq: "desc" },
      take: page.limit + 1,
    }),
  ]);
  if (jobs === 0) throw notFound("job");
  return listed(page, rows, (row) => jobView(jobOf(row)));
}
