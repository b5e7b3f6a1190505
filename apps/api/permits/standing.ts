import type { Plan } from "#libs/ledger";
import { notFound, Problem } from "../problems/problem.js";
import { Prisma, type PrismaClient } from "../record/client.js";

/** What a reservation says of the attempts of one child. */
export interface Standing {
  readonly jobId: string;
  /** The service that it is for; null where none was named. */
  readonly service: string | null;
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
  readonly service: string | null;
  readonly jobId: string;
  readonly jobState: string;
  readonly tenantState: string;
  readonly leftMs: number;
  readonly charged: number | null;
  readonly succeeded: boolean | null;
}

/** Plain amounts set no number of attempts. */
const UNPLANNED = 1_000_000_000;

interface Asked {
  readonly tenantId: string;
  readonly reservationId: string;
  readonly child: number;
}

interface Waiting {
  readonly asked: Asked;
  resolve(row: Columns | undefined): void;
  reject(error: unknown): void;
}

/** So many questions are under way at once; what comes meanwhile is asked together. */
const MOST_AT_WORK = 2;
const MOST_TOGETHER = 200;

/** How reservations stand in the record now, as fresh as the question. */
export class Standings {
  private waiting: Waiting[] = [];
  private atWork = 0;

  constructor(private readonly record: PrismaClient) {}

  /** Throws Problem where the reservation grants this child nothing any more. */
  async of(asked: Asked): Promise<Standing> {
    const row = await new Promise<Columns | undefined>((resolve, reject) => {
      this.waiting.push({ asked, resolve, reject });
      if (this.atWork < MOST_AT_WORK) void this.work();
    });
    if (!row) throw notFound("reservation");
    refuse(row, asked.reservationId, asked.child);
    const { plan, jobId, service, charged, leftMs } = row;
    return { jobId, service, attempts: plan?.attempts ?? UNPLANNED, charged: charged ?? 0, leftMs };
  }

  private async work(): Promise<void> {
    this.atWork += 1;
    while (this.waiting.length > 0) {
      const together = this.waiting.splice(0, MOST_TOGETHER);
      try {
        const rows = await this.load(together.map(({ asked }) => asked));
        together.forEach(({ resolve }, i) => resolve(rows.get(i + 1)));
      } catch (error) {
        together.forEach(({ reject }) => reject(error));
      }
    }
    this.atWork -= 1;
  }

  /** By the place of the question, from 1. */
  private async load(asked: readonly Asked[]): Promise<Map<number, Columns>> {
    const tenantIds = asked.map(({ tenantId }) => tenantId);
    const ids = asked.map(({ reservationId }) => reservationId);
    const children = asked.map(({ child }) => String(child));
    const rows = await this.record.$queryRaw<(Columns & { readonly n: number })[]>(Prisma.sql`
      SELECT asked.n::int AS n, r.state, r.plan, r.service, r.job_id AS "jobId", j.state AS "jobState", t.state AS "tenantState",
        (extract(epoch FROM r.expires_at - holdfast_now()) * 1000)::float8 AS "leftMs",
        a.charged, a.succeeded
      FROM unnest(${tenantIds}::text[], ${ids}::text[], ${children}::text[]::bigint[]) WITH ORDINALITY
        AS asked(tenant_id, id, child, n)
      JOIN reservations r ON r.tenant_id = asked.tenant_id AND r.id = asked.id
      JOIN jobs j ON j.tenant_id = r.tenant_id AND j.id = r.job_id
      JOIN tenants t ON t.id = r.tenant_id
      CROSS JOIN LATERAL (
        SELECT max(attempt)::float8 AS charged, bool_or(outcome = 'succeeded') AS succeeded
        FROM attempts WHERE tenant_id = r.tenant_id AND reservation_id = r.id AND child = asked.child
      ) a`);
    return new Map(rows.map((row) => [row.n, row]));
  }
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
