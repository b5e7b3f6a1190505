import { newId } from "#libs/ledger";
import { newService, starterOf } from "../support/flow.js";
import type { Holdfast, HttpTenant } from "../support/http.js";
import { NOWHERE, type Values } from "./requests.js";

/** A tenant that has one of everything. */
export interface Neighbour {
  readonly tenant: HttpTenant;
  /** The names of what it has. */
  readonly values: Values;
  /** What nobody else may see. */
  readonly secrets: readonly string[];
}

const HOUR_MS = 3_600_000;

/** Every text that names something of it has `mark` in it, which is a word of small letters. */
export async function neighbourOf(holdfast: Holdfast, mark: string): Promise<Neighbour> {
  const unit = `${mark}_unit`;
  const user = `${mark} user`;
  const limits = { [unit]: 100_000 };
  const tenant = await holdfast.tenant({
    name: `${mark} tenant`,
    allowances: { [unit]: { limit: 1_000_000, period: "day" } },
    userAllowance: limits,
    jobAllowance: limits,
  });
  const spare = await tenant.admin("POST", "/keys", { name: `${mark} key` });
  const job = { user, name: `${mark} job`, labels: { [mark]: mark } };
  const jobs = [await tenant.job(job), await tenant.job(job)];
  const open = { body: { amounts: { [unit]: 10 } }, ttlMs: HOUR_MS };
  const reservations = [];
  for (const jobId of [...jobs, ...jobs]) reservations.push(await tenant.openReservation({ ...open, jobId }));
  await tenant.settle(reservations.pop()!, { [unit]: 5 });
  for (const attempt of [2, 3]) await tenant.charge(reservations[0]!, [1, attempt], { [unit]: 1 });
  const children = [await tenant.child(jobs[0]!, { [unit]: 5 }), await tenant.child(jobs[0]!, { [unit]: 5 })];
  const service = await newService(holdfast, {});
  // Two of each, so that every list has a second page.
  await Promise.all([
    tenant.admin("PUT", `/services/${service}`, { concurrency: 100 }),
    newService(holdfast, {}).then((name) => tenant.admin("PUT", `/services/${name}`, { concurrency: 100 })),
    tenant.admin("PUT", `/users/${encodeURIComponent(`${mark} friend`)}/allowances/${unit}`, { limit: 1_000 }),
    tenant.admin("PATCH", "", { enforcement: "observe", reason: mark }),
  ]);
  await tenant.admin("PATCH", "", { enforcement: "enforce", reason: mark });
  const permit = await starterOf(tenant).permit(reservations[1]!, { service });
  const { webhook, secrets, deliveries } = await webhooksOf(tenant, mark);
  const denials = await denialsAt(holdfast, tenant.id, { unit, jobs });
  const ids = {
    ten: tenant.id,
    key: spare.body.id,
    job: jobs[0]!,
    rsv: reservations[0]!,
    dlv: deliveries[0]!.id,
    dny: denials[0]!,
  };
  return {
    tenant,
    values: { ...ids, att: permit.body.id, service, webhook, user, unit },
    secrets: [
      mark,
      tenant.id,
      tenant.key,
      spare.body.id,
      spare.body.key,
      ...jobs,
      ...children.map(({ body }) => body.id),
      ...reservations,
      permit.body.id,
      ...secrets,
      ...denials,
      ...deliveries.flatMap(({ id, eventId }) => [id, eventId as string]),
    ],
  };
}

/** Two webhooks, and two deliveries to the first. */
async function webhooksOf(tenant: HttpTenant, mark: string) {
  const webhook = `${mark}-hook`;
  const told = { url: NOWHERE, events: ["audit.drift"], enabled: false };
  const hooks = [webhook, `${mark}-other`].map((name) => tenant.admin("PUT", `/webhooks/${name}`, told));
  const secrets = (await Promise.all(hooks)).map(({ body }) => body["secret"] as string);
  const ping = () => tenant.admin("POST", `/webhooks/${webhook}/ping`);
  return { webhook, secrets, deliveries: [(await ping()).body, (await ping()).body] };
}

/** Two denials in the list, as a process writes them within a second: so long is none of hundreds of tenants waited for. */
async function denialsAt(
  { record }: Holdfast,
  tenantId: string,
  { unit, jobs }: { unit: string; jobs: readonly string[] },
): Promise<string[]> {
  const scope = { kind: "tenant", id: tenantId };
  const figures = { limit: 1_000_000, spent: 5, reserved: 30 };
  const denial = { code: "exceeds_limit", scope, unit, ...figures, available: 999_965, requested: 2_000_000 };
  const bound = { bookId: tenantId, key: `tenant:${tenantId}:${unit}:none`, ...figures, requested: 2_000_000, at: 0 };
  const { rows } = await record.query<{ id: string }>(
    `INSERT INTO denials (tenant_id, id, minute, kind, scope_id, unit, code, service, job_id, observed, count, first_at,
       last_at, last, ledger_seq)
     SELECT $1, id, date_trunc('minute', at), 'tenant', $1, $2, 'exceeds_limit', '', job_id, false, 1, at, at,
       ($3::jsonb || jsonb_build_object('jobId', job_id))::json, (SELECT last_value FROM ledger_entries_seq_seq)
     FROM unnest($4::text[], $5::text[]) AS made(id, job_id), (SELECT holdfast_now() AS at) AS now RETURNING id`,
    [
      tenantId,
      unit,
      JSON.stringify({
        denial,
        source: "record",
        at: 0,
        user: null,
        figures: [bound],
        service: null,
        asked: { amounts: { [unit]: 2_000_000 } },
      }),
      jobs.map(() => newId("dny")),
      jobs,
    ],
  );
  return rows.map(({ id }) => id);
}

/** Every row of the tenant, by table; a table that comes tomorrow is read as well. */
export async function rowsOf(holdfast: Holdfast, tenantId: string): Promise<Record<string, string[]>> {
  const { rows: tables } = await holdfast.record.query<{ name: string; column: string }>(
    `SELECT table_name AS name, column_name AS column FROM information_schema.columns
     WHERE table_schema = current_schema() AND (column_name = 'tenant_id' OR (table_name, column_name) = ('tenants', 'id'))`,
  );
  const found: Record<string, string[]> = {};
  for (const { name, column } of tables) {
    const { rows } = await holdfast.record.query<{ row: string }>(
      `SELECT to_jsonb(t)::text AS row FROM ${name} t WHERE ${column} = $1 ORDER BY 1`,
      [tenantId],
    );
    found[name] = rows.map(({ row }) => row);
  }
  return found;
}
