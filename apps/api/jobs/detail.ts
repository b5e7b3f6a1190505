import { balanceKey, balanceView, jobView, type Balance, type Job, type Scope } from "#libs/ledger";
import { notFound } from "../problems/problem.js";
import { Prisma, type PrismaClient } from "../record/client.js";
import { balanceOf, jobOf } from "../record/entities.js";
import { MOST_COUNTED, type ReservationCounts } from "./job.view.js";

/** A job with what was taken of its limits and how its reservations stand. Throws Problem where there is none. */
export async function jobDetail(record: PrismaClient, tenantId: string, jobId: string): Promise<object> {
  const [row, counts, children, ended] = await Promise.all([
    record.job.findUnique({ where: { tenantId_id: { tenantId, id: jobId } } }),
    reservationCounts(record, tenantId, jobId),
    record.job.count({ where: { tenantId, parentId: jobId }, take: MOST_COUNTED }),
    record.act.findFirst({ where: { tenantId, jobId }, select: { actor: true, reason: true } }),
  ]);
  if (!row) throw notFound("job");
  const job = jobOf(row);
  return {
    ...jobView(job),
    balances: (await jobBalances(record, tenantId, job)).map(balanceView),
    children,
    reservations: counts,
    ...(ended && { endedBy: { actor: ended.actor, ...(ended.reason !== null && { reason: ended.reason }) } }),
  };
}

/** How many reservations are in each state, among the newest: counting all of a job with millions would time out. */
async function reservationCounts(record: PrismaClient, tenantId: string, jobId: string): Promise<ReservationCounts> {
  const groups = await record.$queryRaw<{ state: keyof ReservationCounts; count: number }[]>(Prisma.sql`
    SELECT state, count(*)::int AS count
    FROM (
      SELECT state FROM reservations WHERE tenant_id = ${tenantId} AND job_id = ${jobId}
      ORDER BY seq DESC LIMIT ${MOST_COUNTED}
    ) AS newest
    GROUP BY state`);
  const counts = { open: 0, settled: 0, released: 0, expired: 0 };
  for (const { state, count } of groups) counts[state] = count;
  return counts;
}

/** The balances of a job in every unit that it has a limit in or has used; one that was never written stands at zero. */
export async function jobBalances(record: PrismaClient, tenantId: string, job: Job): Promise<Balance[]> {
  const scope: Scope = { kind: "job", id: job.id };
  const units = await unitsOf(record, tenantId);
  const keys = units.map((unit) => balanceKey(scope, unit, "none"));
  const rows = await record.balance.findMany({ where: { tenantId, key: { in: keys } } });
  const written = new Map(rows.map((row) => [row.unit, balanceOf(row)]));
  return units
    .filter((unit) => written.has(unit) || Object.hasOwn(job.allowance, unit))
    .map((unit) => written.get(unit) ?? untouched(scope, unit, job.allowance[unit]!));
}

/** The units of a tenant, in their order; none is ever taken away. */
async function unitsOf(record: PrismaClient, tenantId: string): Promise<string[]> {
  const where = { tenantId, kind: "tenant", scopeId: "" };
  const rows = await record.allowance.findMany({ where, orderBy: { unit: "asc" }, select: { unit: true } });
  return rows.map(({ unit }) => unit);
}

function untouched(scope: Scope, unit: string, limit: number): Balance {
  return {
    key: balanceKey(scope, unit, "none"),
    scope,
    unit,
    window: "none",
    limit,
    reserved: 0,
    spent: 0,
    version: 0,
  };
}
