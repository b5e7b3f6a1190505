import {
  parseBalanceKey,
  serviceBookId,
  serviceOfBook,
  TenantBook,
  type KeyRecord,
  type Tenant,
  type TenantSettings,
} from "../../libs/ledger/domain/index.js";
import type { WholeBooks } from "../support/book.js";
import type { TestRecord } from "../support/record.js";

/** All that stands of one tenant, as plain JSON in one order, so that a record and a book can be compared. */
export interface Shape {
  readonly tenant: object;
  readonly settings: object;
  readonly users: object;
  /** What bounds a service, or the tenant at it, besides allowances. */
  readonly flows: object;
  readonly jobs: readonly object[];
  readonly reservations: readonly object[];
  readonly attempts: readonly object[];
  readonly balances: readonly object[];
  readonly keys: readonly object[];
  readonly entries: readonly object[];
}

/** A copy without what JSON does not carry. */
function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** As JSON, with the keys of objects in one order. */
export function textOf(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    isPlainObject(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}

export function sorted<T>(rows: readonly T[]): T[] {
  return rows
    .map((row) => [textOf(row), row] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, row]) => row);
}

function isPlainObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function shapeOf(book: TenantBook): Shape {
  const rows = <T>(table: { rows: Map<string, T | null> }) =>
    sorted(plain([...table.rows.values()].filter((row): row is T => row !== null)) as object[]);
  return {
    tenant: plain(book.tenant!),
    settings: plain(book.settings),
    users: plain(Object.fromEntries([...book.users.rows].filter(([, own]) => Object.keys(own ?? {}).length > 0))),
    flows: plain(Object.fromEntries([...book.flows.rows].filter(([, row]) => row !== null))),
    jobs: rows(book.jobs),
    reservations: rows(book.reservations),
    attempts: sorted(plain([...book.attempts.rows.values()].flatMap((of) => of ?? []))),
    balances: rows(book.balances),
    keys: sorted(plain([...book.keys.rows.values()].filter((row) => row !== null).map(parsed))),
    entries: sorted(plain(book.changes.entries)),
  };
}

/** The answer not as text, whose order of keys is that in which settings were loaded. */
function parsed(row: KeyRecord): object {
  return { ...row, answer: JSON.parse(row.answer) as object };
}

/** Copies that decisions do not share with the originals. */
export function copiesOf(books: WholeBooks): WholeBooks {
  const copies: WholeBooks = new Map();
  for (const [id, book] of books) copies.set(id, copyOf(book, copies));
  return copies;
}

export function copyOf(book: TenantBook, books: WholeBooks = new Map()): TenantBook {
  const copy = new TenantBook(book.tenantId, true, books);
  copy.tenant = plain(book.tenant);
  copy.settings = plain(book.settings);
  for (const name of ["jobs", "reservations", "attempts", "balances", "keys", "users", "flows"] as const) {
    for (const [id, row] of book[name].rows) (copy[name].rows as Map<string, unknown>).set(id, plain(row));
  }
  copy.changes.entries.push(...book.changes.entries);
  return copy;
}

const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::bigint`;

export async function shapeIn(record: TestRecord, tenantId: string): Promise<Shape> {
  const rows = (select: string, rest: string) =>
    record.sql<Record<string, unknown>>(`SELECT ${select} FROM ${rest} `, [tenantId]);
  const [tenant] =
    serviceOfBook(tenantId) === null
      ? await rows(
          `id, name, enforcement, state, config_version AS "configVersion", ${ms("created_at")} AS "createdAt", ${ms("deleted_at")} AS "deletedAt"`,
          "tenants WHERE id = $1",
        )
      : await rows(
          `$1 AS id, name, 'enforce' AS enforcement, 'active' AS state, version AS "configVersion", ${ms("created_at")} AS "createdAt", NULL AS "deletedAt"`,
          `services WHERE name = substr($1, ${serviceBookId("").length + 1})`,
        );
  const allowances = await rows(
    `kind, scope_id AS scope, unit, limit_amount AS "limit", period, time_zone AS "timeZone"`,
    "allowances WHERE tenant_id = $1",
  );
  const reservations = await rows(
    `id, job_id AS "jobId", user_name AS user, state, reserved, held, charged, plan, keys, service, service_keys AS "serviceKeys", ancestors, actual, late, would_deny AS "wouldDeny",
     ${ms("created_at")} AS "createdAt", ${ms("expires_at")} AS "expiresAt", ${ms("closed_at")} AS "closedAt"`,
    "reservations WHERE tenant_id = $1",
  );
  const jobs = await rows(
    `id, user_name AS user, name, labels, allowance, ancestors, would_deny AS "wouldDeny", state, ${ms("created_at")} AS "createdAt", ${ms("closed_at")} AS "closedAt"`,
    "jobs WHERE tenant_id = $1",
  );
  const attempts = await rows(
    `reservation_id AS "reservationId", child, attempt, outcome, actual, freed, late, ${ms("at")} AS at,
     CASE WHEN permit_id IS NOT NULL THEN json_build_object('id', permit_id, 'outcome', permit_outcome) END AS permit`,
    "attempts WHERE tenant_id = $1",
  );
  const balances = await rows(
    `key, limit_amount AS "limit", reserved, spent, version`,
    "balances WHERE tenant_id = $1",
  );
  const keys = await rows(
    `key, fingerprint, answer, ${ms("created_at")} AS "createdAt"`,
    "idempotency_keys WHERE tenant_id = $1",
  );
  const entries = await rows(
    `type, ${ms("at")} AS at, unit, reserved, spent, keys, reservation_id AS "reservationId", job_id AS "jobId", user_name AS user, detail`,
    "ledger_entries WHERE tenant_id = $1",
  );
  return {
    tenant: tenant as unknown as Tenant,
    ...settingsFrom(allowances),
    flows: await flowsIn(record, tenantId),
    jobs: sorted(jobs),
    reservations: sorted(reservations),
    attempts: sorted(attempts),
    balances: sorted(balances.map((row) => ({ ...row, ...parseBalanceKey(tenantId, row["key"] as string) }))),
    keys: sorted((keys as unknown as KeyRecord[]).map(parsed)),
    entries: sorted(entries),
  };
}

async function flowsIn(record: TestRecord, tenantId: string): Promise<object> {
  const where =
    serviceOfBook(tenantId) === null
      ? "tenant_services WHERE tenant_id = $1"
      : `services WHERE name = substr($1, ${serviceBookId("").length + 1})`;
  const rows = await record.sql<{ name: string; settings: object }>(`SELECT name, settings FROM ${where}`, [tenantId]);
  return Object.fromEntries(rows.map(({ name, settings }) => [name, settings]));
}

function settingsFrom(rows: readonly Record<string, unknown>[]): { settings: TenantSettings; users: object } {
  const settings = { allowances: {}, shares: {}, userAllowance: {}, jobAllowance: {} } as Record<
    string,
    Record<string, unknown>
  >;
  const users: Record<string, Record<string, unknown>> = {};
  for (const { kind, scope, unit, limit, period, timeZone } of rows) {
    const setting = { limit, period, timeZone };
    if (kind === "service")
      ((settings["shares"]![scope as string] ??= {}) as Record<string, unknown>)[unit as string] = setting;
    else if (scope !== "") (users[scope as string] ??= {})[unit as string] = setting;
    else if (kind === "tenant") settings["allowances"]![unit as string] = setting;
    else settings[`${kind as string}Allowance`]![unit as string] = limit;
  }
  return { settings: settings as unknown as TenantSettings, users };
}
