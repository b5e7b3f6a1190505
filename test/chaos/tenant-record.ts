import type pg from "pg";
import type { Amounts } from "#libs/plan";

/** What the record holds of one tenant, all as of one moment. */
export interface TenantRecord {
  readonly id: string;
  /** The record's time, milliseconds since 1970. */
  readonly now: number;
  readonly state: string;
  readonly reservations: ReadonlyMap<string, ReservationRow>;
  readonly jobs: ReadonlyMap<string, JobRow>;
  /** The first answer under each idempotency key. */
  readonly answers: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  /** In the order in which they were committed. */
  readonly entries: readonly EntryRow[];
  readonly balances: ReadonlyMap<string, BalanceRow>;
  /** What was charged. */
  readonly attempts: readonly AttemptRow[];
}

export interface AttemptRow {
  readonly reservationId: string;
  readonly child: number;
  readonly attempt: number;
  readonly outcome: "succeeded" | "failed";
  readonly actual: Amounts;
}

export interface ReservationRow {
  readonly id: string;
  readonly jobId: string;
  readonly state: "open" | "settled" | "released" | "expired";
  readonly reserved: Amounts;
  /** What it still holds. */
  readonly held: Amounts;
  readonly actual: Amounts | null;
  readonly keys: readonly string[];
  readonly service: string | null;
  readonly serviceKeys: readonly string[];
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly closedAt: number | null;
}

export interface JobRow {
  readonly id: string;
  readonly user: string | null;
  readonly allowance: Amounts;
  readonly state: "open" | "closed" | "cancelled";
}

export interface EntryRow {
  readonly seq: number;
  /** The record's time, milliseconds since 1970. */
  readonly at: number;
  readonly type: "reserve" | "charge" | "settle" | "release" | "expire" | "limit" | "settings";
  readonly unit: string;
  readonly reserved: number;
  readonly spent: number;
  readonly keys: readonly string[];
  readonly reservationId: string | null;
  readonly detail: {
    readonly scope?: { readonly kind: "service" | "tenant" | "user"; readonly id: string };
    readonly from?: number | null;
    readonly to?: number | null;
    readonly reason?: string | null;
    readonly child?: number;
    readonly attempt?: number;
    /** In the book of a service. */
    readonly tenantId?: string;
  } | null;
}

export interface BalanceRow {
  readonly key: string;
  readonly limit: number | null;
  readonly reserved: number;
  readonly spent: number;
}

const ms = (column: string) => `(extract(epoch FROM ${column}) * 1000)::float8`;
const list = (row: string, from: string, order: string) =>
  `(SELECT coalesce(json_agg(json_build_object(${row}) ORDER BY ${order}), '[]') FROM ${from} WHERE tenant_id = $1)`;

/** One statement, so that the sweep cannot come between two looks. */
const READ = `SELECT ${ms("holdfast_now()")} AS now, (SELECT state FROM tenants WHERE id = $1) AS state,
  ${list(
    `'id', id, 'jobId', job_id, 'state', state, 'reserved', reserved, 'held', held, 'actual', actual, 'keys', keys,
     'service', service, 'serviceKeys', service_keys, 'createdAt', ${ms("created_at")}, 'expiresAt', ${ms("expires_at")}, 'closedAt', ${ms("closed_at")}`,
    "reservations",
    "seq",
  )} AS reservations,
  ${list(`'id', id, 'user', user_name, 'allowance', allowance, 'state', state`, "jobs", "seq")} AS jobs,
  ${list(`'key', key, 'answer', answer::json`, "idempotency_keys", "key")} AS keys,
  ${list(
    `'seq', seq, 'at', ${ms("at")}, 'type', type, 'unit', unit, 'reserved', reserved, 'spent', spent, 'keys', keys,
     'reservationId', reservation_id, 'detail', detail`,
    "ledger_entries",
    "seq",
  )} AS entries,
  ${list(`'key', key, 'limit', limit_amount, 'reserved', reserved, 'spent', spent`, "balances", "key")} AS balances,
  ${list(
    `'reservationId', reservation_id, 'child', child, 'attempt', attempt, 'outcome', outcome, 'actual', actual`,
    "attempts",
    "reservation_id, child, attempt",
  )} AS attempts`;

interface Rows {
  readonly now: number;
  readonly state: string;
  readonly reservations: ReservationRow[];
  readonly jobs: JobRow[];
  readonly keys: { readonly key: string; readonly answer: Record<string, unknown> }[];
  readonly entries: EntryRow[];
  readonly balances: BalanceRow[];
  readonly attempts: AttemptRow[];
}

export async function readTenant(client: pg.ClientBase, id: string): Promise<TenantRecord> {
  const { rows } = await client.query<Rows>(READ, [id]);
  const { now, state, reservations, jobs, keys, entries, balances, attempts } = rows[0]!;
  return {
    id,
    now,
    state,
    reservations: new Map(reservations.map((row) => [row.id, row])),
    jobs: new Map(jobs.map((row) => [row.id, row])),
    answers: new Map(keys.map(({ key, answer }) => [key, answer])),
    // What else is set for a service moves nothing.
    entries: entries.filter(({ type }) => type !== "settings"),
    balances: new Map(balances.map((row) => [row.key, row])),
    attempts,
  };
}
