import type pg from "pg";
import type { Instant, TenantBook } from "../domain/index.js";
import { collect } from "./collect.js";
import { rowsOf, statement, type Statement } from "./sql.js";

/**
 * Every statement takes its rows as one JSON array and checks by the belt that exactly as many were written: a row that
 * is not as the batch read it undoes the whole batch. Times are milliseconds.
 */
function write(table: string, columns: string, dml: string): Statement {
  return statement(
    `write_${table.replaceAll(" ", "_")}`,
    `WITH x AS (SELECT * FROM json_to_recordset($1::json) AS x(tenant_id text, ${columns})),
          written AS (${dml} RETURNING 1)
     SELECT holdfast_belt((SELECT count(*) FROM x), (SELECT count(*) FROM written), '${table}')`,
  );
}

const at = (column: string) => `to_timestamp(${column}::float8 / 1000)`;

const UPDATE_BALANCES = write(
  "balances",
  `key text, limit_amount bigint, reserved bigint, spent bigint, version bigint, read_version bigint, bound boolean`,
  `UPDATE balances b SET limit_amount = x.limit_amount, reserved = x.reserved, spent = x.spent, version = x.version
   FROM x WHERE b.tenant_id = x.tenant_id AND b.key = x.key AND b.version = x.read_version
   AND (NOT x.bound OR x.limit_amount IS NULL OR x.spent + x.reserved <= x.limit_amount)`,
);
const INSERT_BALANCES = write(
  "new balances",
  `key text, kind text, scope_id text, unit text, "window" text, limit_amount bigint, reserved bigint, spent bigint,
   version bigint, bound boolean`,
  `INSERT INTO balances (tenant_id, key, kind, scope_id, unit, "window", limit_amount, reserved, spent, version)
   SELECT tenant_id, key, kind, scope_id, unit, "window", limit_amount, reserved, spent, version FROM x
   WHERE NOT bound OR limit_amount IS NULL OR spent + reserved <= limit_amount`,
);
const INSERT_JOBS = write(
  "new jobs",
  `id text, user_name text, name text, labels jsonb, allowance json, parent_id text, ancestors text[], would_deny json, state text,
   created_at bigint, closed_at bigint`,
  `INSERT INTO jobs (tenant_id, id, user_name, name, labels, allowance, parent_id, ancestors, would_deny, state,
     created_at, closed_at)
   SELECT tenant_id, id, user_name, name, labels, allowance, parent_id, ancestors, would_deny, state,
     ${at("created_at")}, ${at("closed_at")} FROM x`,
);
const UPDATE_JOBS = write(
  "jobs",
  `id text, state text, closed_at bigint`,
  `UPDATE jobs j SET state = x.state, closed_at = ${at("x.closed_at")}
   FROM x WHERE j.tenant_id = x.tenant_id AND j.id = x.id`,
);
const INSERT_RESERVATIONS = write(
  "new reservations",
  `id text, job_id text, user_name text, state text, reserved json, held json, charged json, plan json, keys text[],
   service text, service_keys text[], ancestors text[], actual json, late boolean, would_deny json, created_at bigint, expires_at bigint, closed_at bigint`,
  `INSERT INTO reservations
     (tenant_id, id, job_id, user_name, state, reserved, held, charged, plan, keys, service, service_keys, ancestors,
      actual, late, would_deny, created_at, expires_at, closed_at)
   SELECT tenant_id, id, job_id, user_name, state, reserved, held, charged, plan, keys, service, service_keys, ancestors,
     actual, late, would_deny, ${at("created_at")}, ${at("expires_at")}, ${at("closed_at")} FROM x`,
);
const UPDATE_RESERVATIONS = write(
  "reservations",
  `id text, state text, held json, charged json, actual json, late boolean, expires_at bigint, closed_at bigint`,
  `UPDATE reservations r SET state = x.state, held = x.held, charged = x.charged, actual = x.actual, late = x.late,
     expires_at = ${at("x.expires_at")}, closed_at = ${at("x.closed_at")}
   FROM x WHERE r.tenant_id = x.tenant_id AND r.id = x.id`,
);
const INSERT_ATTEMPTS = write(
  "attempts",
  `reservation_id text, child bigint, attempt bigint, outcome text, actual json, freed json, late boolean, at bigint,
   permit_id text, permit_outcome text`,
  `INSERT INTO attempts
     (tenant_id, reservation_id, child, attempt, outcome, actual, freed, late, at, permit_id, permit_outcome)
   SELECT tenant_id, reservation_id, child, attempt, outcome, actual, freed, late, ${at("at")}, permit_id, permit_outcome
   FROM x`,
);
const INSERT_ENTRIES = write(
  "ledger entries",
  `at bigint, type text, unit text, reserved bigint, spent bigint, keys text[], reservation_id text, job_id text,
   user_name text, detail json`,
  `INSERT INTO ledger_entries (tenant_id, at, type, unit, reserved, spent, keys, reservation_id, job_id, user_name, detail)
   SELECT tenant_id, ${at("at")}, type, unit, reserved, spent, keys, reservation_id, job_id, user_name, detail FROM x`,
);
const INSERT_ACTS = write(
  "acts",
  `at bigint, act text, job_id text, actor text, reason text`,
  `INSERT INTO acts (tenant_id, at, act, job_id, actor, reason)
   SELECT tenant_id, ${at("at")}, act, job_id, actor, reason FROM x`,
);
const INSERT_KEYS = write(
  "idempotency keys",
  `key text, fingerprint text, answer text, created_at bigint`,
  `INSERT INTO idempotency_keys (tenant_id, key, fingerprint, answer, created_at)
   SELECT tenant_id, key, fingerprint, answer, ${at("created_at")} FROM x`,
);
const UPDATE_TENANTS = write(
  "tenants",
  `name text, enforcement text, state text, config_version bigint, deleted_at bigint`,
  `UPDATE tenants t SET name = x.name, enforcement = x.enforcement, state = x.state,
     config_version = x.config_version, deleted_at = ${at("x.deleted_at")}
   FROM x WHERE t.id = x.tenant_id AND t.config_version < x.config_version`,
);
const UPDATE_SERVICES = write(
  "services",
  `name text, settings json, version bigint, updated_at bigint`,
  `UPDATE services s SET settings = coalesce(x.settings, s.settings), version = x.version,
     updated_at = ${at("x.updated_at")}
   FROM x WHERE s.name = x.name AND s.version < x.version`,
);
const UPSERT_TENANT_SERVICES = write(
  "tenant services",
  `name text, settings json, updated_at bigint`,
  `INSERT INTO tenant_services (tenant_id, name, settings, updated_at)
   SELECT tenant_id, name, settings, ${at("updated_at")} FROM x
   ON CONFLICT (tenant_id, name) DO UPDATE SET settings = excluded.settings, updated_at = excluded.updated_at`,
);
/** Without the belt: what was set and taken away in one batch was never there. */
const DELETE_TENANT_SERVICES = statement(
  "delete_tenant_services",
  `WITH x AS (SELECT * FROM json_to_recordset($1::json) AS x(tenant_id text, name text))
   DELETE FROM tenant_services t USING x WHERE t.tenant_id = x.tenant_id AND t.name = x.name`,
);
const UPSERT_SETTINGS = write(
  "allowances",
  `kind text, scope_id text, unit text, limit_amount bigint, period text, time_zone text`,
  `INSERT INTO allowances (tenant_id, kind, scope_id, unit, limit_amount, period, time_zone)
   SELECT tenant_id, kind, scope_id, unit, limit_amount, period, time_zone FROM x
   ON CONFLICT (tenant_id, kind, scope_id, unit) DO UPDATE
   SET limit_amount = excluded.limit_amount, period = excluded.period, time_zone = excluded.time_zone`,
);
const DELETE_SETTINGS = statement(
  "delete_allowances",
  `WITH x AS (SELECT * FROM json_to_recordset($1::json) AS x(tenant_id text, kind text, scope_id text, unit text))
   DELETE FROM allowances a USING x
   WHERE a.tenant_id = x.tenant_id AND a.kind = x.kind AND a.scope_id = x.scope_id AND a.unit = x.unit`,
);

/**
 * Sends the writes of all books in one flight, behind which the caller sends its COMMIT: a failed statement leaves the
 * transaction aborted, so that COMMIT undoes it. One promise per statement, each already handled by the caller.
 */
export function sendWrites(client: pg.ClientBase, books: Iterable<TenantBook>, now: Instant): Promise<unknown>[] {
  const rows = collect(books, now);
  const writes: [Statement, object[]][] = [
    [UPDATE_TENANTS, rows.tenants],
    [UPDATE_SERVICES, rows.services],
    [UPSERT_TENANT_SERVICES, rows.tenantServices],
    [DELETE_TENANT_SERVICES, rows.droppedTenantServices],
    [UPSERT_SETTINGS, rows.settings],
    [DELETE_SETTINGS, rows.droppedSettings],
    [UPDATE_BALANCES, rows.balances],
    [INSERT_BALANCES, rows.newBalances],
    [INSERT_JOBS, rows.newJobs],
    [UPDATE_JOBS, rows.jobs],
    [INSERT_RESERVATIONS, rows.newReservations],
    [UPDATE_RESERVATIONS, rows.reservations],
    [INSERT_ATTEMPTS, rows.attempts],
    [INSERT_ENTRIES, rows.entries],
    [INSERT_ACTS, rows.acts],
    [INSERT_KEYS, rows.keys],
  ];
  return writes.filter(([, list]) => list.length > 0).map(([sql, list]) => rowsOf(client, sql, [JSON.stringify(list)]));
}
