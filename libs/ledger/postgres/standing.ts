import type pg from "pg";
import type { Plan } from "../domain/index.js";
import type { ChildRow, ChildStanding } from "../protocol/ports.js";
import { columnsOf } from "./load.js";
import { rowsOf, sought, statement } from "./sql.js";

type Columns = [
  number,
  string,
  Plan | null,
  string | null,
  string,
  string,
  string,
  number,
  number | null,
  boolean | null,
];

const FIND_STANDINGS = statement(
  "standings",
  `SELECT w.n::int, r.state, r.plan, r.service, r.job_id, j.state, t.state,
     (extract(epoch FROM r.expires_at - holdfast_now()) * 1000)::float8, a.charged, a.succeeded
   FROM unnest($1::text[], $2::text[], $3::bigint[]) WITH ORDINALITY AS w(tenant_id, id, child, n)
   JOIN reservations r ON r.tenant_id = w.tenant_id AND r.id = w.id
   CROSS JOIN ${sought("jobs j", "j.tenant_id = r.tenant_id AND j.id = r.job_id")}
   JOIN tenants t ON t.id = r.tenant_id
   CROSS JOIN LATERAL (
     SELECT max(attempt) AS charged, bool_or(outcome = 'succeeded') AS succeeded
     FROM attempts WHERE tenant_id = r.tenant_id AND reservation_id = r.id AND child = w.child
   ) AS a`,
);

/** One statement for all of them; one result for each, in order. */
export async function findStandings(pool: pg.Pool, asked: readonly ChildRow[]): Promise<(ChildStanding | null)[]> {
  const columns = [...columnsOf(asked), asked.map(({ child }) => child)];
  const standings: (ChildStanding | null)[] = asked.map(() => null);
  for (const [n, ...row] of await rowsOf<Columns>(pool, FIND_STANDINGS, columns)) {
    const [state, plan, service, jobId, jobState, tenantState, leftMs, charged, succeeded] = row;
    const facts = { plan, service, jobId, leftMs, charged: charged ?? 0, succeeded: succeeded ?? false };
    standings[n - 1] = { state, jobState, tenantState, ...facts } as ChildStanding;
  }
  return standings;
}
