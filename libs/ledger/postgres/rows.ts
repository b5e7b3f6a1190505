import {
  parseBalanceKey,
  type AllowanceSetting,
  type Amounts,
  type Attempt,
  type Balance,
  type Denial,
  type Job,
  type KeyRecord,
  type Period,
  type Plan,
  type Reservation,
  serviceBookId,
  type Tenant,
  type TenantSettings,
  type UserAllowanceSetting,
} from "../domain/index.js";
import type { ReservationFacts } from "./facts.js";
import { ms } from "./sql.js";

/** Select lists, and the entities made of their rows: each list and its function belong together, column by column. */

export const TENANT = `t.id, t.name, t.enforcement, t.state, t.config_version, ${ms("t.created_at")}, ${ms("t.deleted_at")}`;
export type TenantColumns = [string, string, string, string, number, number, number | null];

export function tenantOf([id, name, enforcement, state, configVersion, createdAt, deletedAt]: TenantColumns): Tenant {
  return {
    id,
    name,
    enforcement: enforcement as Tenant["enforcement"],
    state: state as Tenant["state"],
    configVersion,
    createdAt,
    deletedAt,
  };
}

/** A service as the tenant of its own book: nothing but its name and its version says anything of it. */
export const SERVICE = `s.name, s.version, ${ms("s.created_at")}`;
export type ServiceColumns = [string, number, number];

export function tenantOfService([name, configVersion, createdAt]: ServiceColumns): Tenant {
  const id = serviceBookId(name);
  return { id, name, enforcement: "enforce", state: "active", configVersion, createdAt, deletedAt: null };
}

export const BALANCE = `b.tenant_id, b.key, b.limit_amount, b.reserved, b.spent, b.version`;
export type BalanceColumns = [string, string, number | null, number, number, number];

export function balanceOf([bookId, key, limit, reserved, spent, version]: BalanceColumns): Balance {
  return { key, ...parseBalanceKey(bookId, key), limit, reserved, spent, version };
}

export const JOB = `j.tenant_id, j.id, j.user_name, j.name, j.labels, j.allowance, j.ancestors, j.would_deny, j.state,
  ${ms("j.created_at")}, ${ms("j.closed_at")}`;
export type JobColumns = [
  string,
  string,
  string | null,
  string | null,
  Record<string, string>,
  Amounts,
  string[],
  Denial | null,
  string,
  number,
  number | null,
];

export function jobOf([, id, user, name, labels, allowance, ancestors, wouldDeny, ...rest]: JobColumns): Job {
  const [state, createdAt, closedAt] = rest;
  return { id, user, name, labels, allowance, ancestors, wouldDeny, state: state as Job["state"], createdAt, closedAt };
}

export const RESERVATION = `r.tenant_id, r.id, r.job_id, r.user_name, r.state, r.reserved, r.held, r.charged, r.plan, r.keys,
  r.service, r.service_keys, r.ancestors, r.actual, r.late,
  r.would_deny, ${ms("r.created_at")}, ${ms("r.expires_at")}, ${ms("r.closed_at")}`;
export type ReservationColumns = [
  string,
  string,
  string,
  string | null,
  string,
  Amounts,
  Amounts,
  Amounts,
  Plan | null,
  string[],
  string | null,
  string[],
  string[],
  Amounts | null,
  boolean,
  Denial | null,
  number,
  number,
  number | null,
];

export function reservationOf(columns: ReservationColumns): Reservation {
  const [, id, jobId, user, state, reserved, held, charged, plan, keys, service, serviceKeys, ...more] = columns;
  const [ancestors, actual, late, wouldDeny, createdAt, expiresAt, closedAt] = more;
  return {
    id,
    jobId,
    user,
    state: state as Reservation["state"],
    reserved,
    held,
    charged,
    plan,
    keys,
    service,
    serviceKeys,
    ancestors,
    actual,
    late,
    wouldDeny,
    createdAt,
    expiresAt,
    closedAt,
  };
}

export const RESERVATION_STANDING = `r.tenant_id, r.id, r.state, r.held, r.charged, r.actual, r.late, ${ms("r.expires_at")},
  ${ms("r.closed_at")}`;
export type StandingColumns = [
  string,
  string,
  string,
  Amounts,
  Amounts,
  Amounts | null,
  boolean,
  number,
  number | null,
];

export function standingOf(facts: ReservationFacts, columns: StandingColumns): Reservation {
  const [, , state, held, charged, actual, late, expiresAt, closedAt] = columns;
  return { ...facts, state: state as Reservation["state"], held, charged, actual, late, expiresAt, closedAt };
}

export const ATTEMPT = `a.tenant_id, a.reservation_id, a.child, a.attempt, a.outcome, a.actual, a.freed, a.late, ${ms("a.at")},
  a.permit_id, a.permit_outcome`;
export type AttemptColumns = [
  string,
  string,
  number,
  number,
  string,
  Amounts,
  Amounts,
  boolean,
  number,
  string | null,
  string | null,
];

export function attemptOf(columns: AttemptColumns): Attempt {
  const [, reservationId, child, attempt, outcome, actual, freed, late, at, permitId, permitOutcome] = columns;
  const permit = permitId === null ? null : { id: permitId, outcome: permitOutcome! };
  return { reservationId, child, attempt, outcome: outcome as Attempt["outcome"], actual, freed, late, at, permit };
}

/** What bounds a service, or a tenant at it, besides allowances: whose book, which service, the settings. */
export type FlowColumns = [string, string, object];

export const KEY = `k.tenant_id, k.key, k.fingerprint, k.answer, ${ms("k.created_at")}`;
export type KeyColumns = [string, string, string, string, number];

export function keyOf([, key, fingerprint, answer, createdAt]: KeyColumns): KeyRecord {
  return { key, fingerprint, answer, createdAt };
}

export const ALLOWANCE = `a.tenant_id, a.kind, a.scope_id, a.unit, a.limit_amount, a.period, a.time_zone`;
export type AllowanceColumns = [string, string, string, string, number | null, string | null, string | null];

/** The settings of a tenant from its allowance rows; those with a user's name are not among them. */
export function settingsOf(rows: readonly AllowanceColumns[]): TenantSettings {
  const allowances: Record<string, AllowanceSetting> = {};
  const shares: TenantSettings["shares"] = {};
  const defaults = { user: {} as Record<string, number>, job: {} as Record<string, number> };
  for (const [, kind, scopeId, unit, limit, period, timeZone] of rows) {
    const setting = { limit, period: period as Period, timeZone: timeZone! };
    if (kind === "tenant") allowances[unit] = setting;
    else if (kind === "service") (shares[scopeId] ??= {})[unit] = setting;
    else defaults[kind as "user" | "job"][unit] = limit!;
  }
  return { allowances, shares, userAllowance: defaults.user, jobAllowance: defaults.job };
}

export function ownLimitsOf(rows: readonly AllowanceColumns[]): Record<string, UserAllowanceSetting> {
  return Object.fromEntries(
    rows.map(([, , , unit, limit, period, timeZone]) => [unit, { limit, period: period as Period | null, timeZone }]),
  );
}
