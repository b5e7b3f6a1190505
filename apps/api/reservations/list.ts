import { reservationView } from "#libs/ledger";
import { listed, pageOf, type Listed, type PageQuery } from "../lists/page.js";
import { notFound } from "../problems/problem.js";
import type { PrismaClient } from "../record/client.js";
import { reservationOf } from "../record/entities.js";

/** A reservation of a tenant. Throws Problem where there is none such. */
export async function reservationDetail(record: PrismaClient, tenantId: string, id: string): Promise<object> {
  const row = await record.reservation.findUnique({ where: { tenantId_id: { tenantId, id } } });
  if (!row) throw notFound("reservation");
  return reservationView(reservationOf(row));
}

/** The reservations of a job, newest first. Throws Problem where there is no such job. */
export async function listReservations(
  record: PrismaClient,
  tenantId: string,
  jobId: string,
  query: PageQuery,
): Promise<Listed> {
  const page = pageOf(`reservations ${jobId}`, query);
  const seq = page.after === undefined ? {} : { lt: page.after };
  const [jobs, rows] = await Promise.all([
    record.job.count({ where: { tenantId, id: jobId } }),
    record.reservation.findMany({ where: { tenantId, jobId, seq }, orderBy: { seq: "desc" }, take: page.limit + 1 }),
  ]);
  if (jobs === 0) throw notFound("job");
  return listed(page, rows, (row) => reservationView(reservationOf(row)));
}
