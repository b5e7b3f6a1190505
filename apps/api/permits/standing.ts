import type { Plan } from "#libs/ledger";
import { notFound, Problem } from "../problems/problem.js";
import { Prisma, type PrismaClient } from "../record/client.js";

/** What a reservation says of the attempts of one child. */
export interface Standing {
  readonly jobId: string;
  /** Attempts that each child may have. */
  readonly attempts: number;
  /** The last one that was charged; 0 before the first. */
  readonly charged: number;
  /** Milliseconds until its deadline. */
  readonly leftMs: number;
}

interface Columns {
  readonly state: string;
  readonly plan: Plan | null;
  readonly jobId: string;
  readonly jobState: string;
  readonly tenantState: string;
  readonly leftMs: number;
  readonly charged: number | null;
  readonly succeeded: boolean | null;
}

/** Plain amounts set no number of attempts. */
const UNPLANNED = 1_000_000_000;

/** How the reservation stands in the record now. Throws Problem where it grants this child nothing any more. */
export async function standingOf(
  record: PrismaClient,
  tenantId: string,
  reservationId: string,
  child: number,
): Promise<Standing> {
  const [row] = await record.$queryRaw<Columns[]>(Prisma.sql`
    SELECT r.state, r.plan, r.job_id AS "jobId", j.state AS "jobState", t.state AS "tenantState",
      (extract(epoch FROM r.expires_at - holdfast_now()) * 1000)::float8 AS "leftMs",
      a.charged, a.succeeded
    FROM reservations r
    JOIN jobs j ON j.tenant_id = r.tenant_id AND j.id = r.job_id
    JOIN tenants t ON t.id = r.tenant_id
    CROSS JOIN LATERAL (
      SELECT max(attempt)::float8 AS charged, bool_or(outcome = 'succeeded') AS succeeded
      FROM attempts WHERE tenant_id = r.tenant_id AND reservation_id = r.id AND child = ${child}
    ) a
    WHERE r.tenant_id = ${tenantId} AND r.id = ${reservationId}`);
  if (!row) throw notFound("reservation");
  refuse(row, reservationId, child);
  const { plan, jobId, charged, leftMs } = row;
  return { jobId, attempts: plan?.attempts ?? UNPLANNED, charged: charged ?? 0, leftMs };
}

function refuse(row: Columns, id: string, child: number): void {
  const { state, plan, jobState, tenantState, leftMs, succeeded } = row;
  if (tenantState !== "active") throw new Problem("tenant_suspended", "The tenant is suspended.");
  if (state === "settled") throw new Problem("already_settled", "The reservation was settled.");
  if (state === "released") throw new Problem("already_released", "The reservation was released.");
  if (state === "expired" || leftMs <= 0) throw new Problem("reservation_expired", "The reservation has expired.");
  if (jobState !== "open") throw new Problem("job_not_open", `The job is ${jobState}.`);
  const over = (why: string) =>
    new Problem("attempts_exhausted", why, undefined, { scope: { kind: "reservation", id } });
  if (plan && child > plan.admittedChildren) throw over(`The plan was admitted for ${plan.admittedChildren} children.`);
  if (plan && succeeded) throw over(`Child ${child} has succeeded.`);
}
