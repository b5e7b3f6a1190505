import {
  serviceOfBook,
  type Act,
  type Attempt,
  type Instant,
  type Job,
  type Reservation,
  type SettingChange,
  type TenantBook,
} from "../domain/index.js";

/** The changes of the books as rows, by the statement that writes them. */
export function collect(books: Iterable<TenantBook>, now: Instant) {
  const rows = {
    tenants: [] as object[],
    services: [] as object[],
    tenantServices: [] as object[],
    droppedTenantServices: [] as object[],
    settings: [] as object[],
    droppedSettings: [] as object[],
    balances: [] as object[],
    newBalances: [] as object[],
    newJobs: [] as object[],
    jobs: [] as object[],
    newReservations: [] as object[],
    reservations: [] as object[],
    attempts: [] as object[],
    entries: [] as object[],
    acts: [] as object[],
    keys: [] as object[],
  };
  for (const { tenantId, tenant, changes } of books) {
    if (changes.tenant) addHead(rows, tenant!, changes.flows, now);
    addSettings(rows, tenantId, changes.settings);
    if (serviceOfBook(tenantId) === null) addOwnFlows(rows, tenantId, changes.flows, now);
    for (const changed of changes.balances.values()) {
      if (changed.readVersion === 0) rows.newBalances.push(newBalanceRow(tenantId, changed));
      else rows.balances.push(balanceRow(tenantId, changed));
    }
    for (const job of changes.newJobs) rows.newJobs.push(jobRow(tenantId, job));
    for (const job of changedOnly(changes.jobs, changes.newJobs)) rows.jobs.push(jobRow(tenantId, job));
    for (const one of changes.newReservations) rows.newReservations.push(newReservationRow(tenantId, one));
    for (const one of changedOnly(changes.reservations, changes.newReservations)) {
      rows.reservations.push(reservationRow(tenantId, one));
    }
    for (const attempt of changes.newAttempts) rows.attempts.push(attemptRow(tenantId, attempt));
    for (const entry of changes.entries) rows.entries.push(entryRow(tenantId, entry));
    for (const act of changes.acts) rows.acts.push(actRow(tenantId, act));
    for (const { key, fingerprint, answer, createdAt } of changes.keys) {
      rows.keys.push({ tenant_id: tenantId, key, fingerprint, answer, created_at: createdAt });
    }
  }
  return rows;
}

type Tenant = NonNullable<TenantBook["tenant"]>;

type Flows = TenantBook["changes"]["flows"];

/** The row that a book is locked by: of a service it is written elsewhere, with what the ledger keeps for it. */
function addHead(rows: { tenants: object[]; services: object[] }, tenant: Tenant, flows: Flows, now: Instant): void {
  if (serviceOfBook(tenant.id) === null) rows.tenants.push(tenantRow(tenant));
  else rows.services.push(serviceRow(tenant, flows.get(tenant.name) ?? null, now));
}

function addSettings(
  rows: { settings: object[]; droppedSettings: object[] },
  tenantId: string,
  changes: readonly SettingChange[],
): void {
  for (const setting of dedupe(changes)) {
    const row = settingRow(tenantId, setting);
    if (row.limit_amount === undefined) rows.droppedSettings.push(row);
    else rows.settings.push(row);
  }
}

function addOwnFlows(
  rows: { tenantServices: object[]; droppedTenantServices: object[] },
  tenantId: string,
  flows: Flows,
  now: Instant,
): void {
  for (const [name, settings] of flows) {
    if (settings) rows.tenantServices.push({ tenant_id: tenantId, name, settings, updated_at: now });
    else rows.droppedTenantServices.push({ tenant_id: tenantId, name });
  }
}

/** What is new is written whole, with all that changed of it since. */
function changedOnly<T>(changed: ReadonlySet<T>, added: readonly T[]): T[] {
  const isNew = new Set(added);
  return [...changed].filter((one) => !isNew.has(one));
}

function tenantRow(tenant: Tenant) {
  const { id, name, enforcement, state, configVersion, deletedAt } = tenant;
  return { tenant_id: id, name, enforcement, state, config_version: configVersion, deleted_at: deletedAt };
}

/** `settings` null: they stay as they are. */
function serviceRow({ id, name, configVersion }: Tenant, settings: object | null, now: Instant) {
  return { tenant_id: id, name, settings, version: configVersion, updated_at: now };
}

/** One row may be written once in a statement: the last change of a setting counts. */
function dedupe(changes: readonly SettingChange[]): SettingChange[] {
  return [...new Map(changes.map((change) => [settingKey(change), change])).values()];
}

function settingKey(change: SettingChange): string {
  return JSON.stringify([change.kind, change.unit, scopeIdOf(change)]);
}

function scopeIdOf(change: SettingChange): string {
  if (change.kind === "user") return change.user;
  return change.kind === "service" ? change.service : "";
}

/** `limit_amount` undefined: the allowance or the default is taken away. */
function settingRow(tenantId: string, change: SettingChange) {
  const { unit } = change;
  if (!("setting" in change)) {
    const kind = change.kind === "userDefault" ? "user" : "job";
    return { tenant_id: tenantId, kind, scope_id: "", unit, limit_amount: change.limit ?? undefined };
  }
  const scope_id = scopeIdOf(change);
  if (!change.setting) return { tenant_id: tenantId, kind: change.kind, scope_id, unit, limit_amount: undefined };
  const { limit, period, timeZone } = change.setting;
  return { tenant_id: tenantId, kind: change.kind, scope_id, unit, limit_amount: limit, period, time_zone: timeZone };
}

type Changed = TenantBook["changes"]["balances"] extends Map<string, infer Row> ? Row : never;

function balanceRow(tenantId: string, { balance, readVersion, bound }: Changed) {
  const { key, limit, reserved, spent, version } = balance;
  return {
    tenant_id: tenantId,
    key,
    limit_amount: limit,
    reserved,
    spent,
    version,
    read_version: readVersion,
    bound,
  };
}

function newBalanceRow(tenantId: string, changed: Changed) {
  const { scope, unit, window } = changed.balance;
  return { ...balanceRow(tenantId, changed), kind: scope.kind, scope_id: scope.id, unit, window };
}

function jobRow(tenantId: string, job: Job) {
  const { id, user, name, labels, allowance, ancestors, wouldDeny, state, createdAt, closedAt } = job;
  return {
    tenant_id: tenantId,
    id,
    user_name: user,
    name,
    labels,
    allowance,
    parent_id: ancestors[0] ?? null,
    ancestors,
    would_deny: wouldDeny,
    state,
    created_at: createdAt,
    closed_at: closedAt,
  };
}

/** What may change of it. */
function reservationRow(tenantId: string, one: Reservation) {
  return {
    tenant_id: tenantId,
    id: one.id,
    state: one.state,
    held: one.held,
    charged: one.charged,
    actual: one.actual,
    late: one.late,
    expires_at: one.expiresAt,
    closed_at: one.closedAt,
  };
}

function newReservationRow(tenantId: string, one: Reservation) {
  return {
    ...reservationRow(tenantId, one),
    job_id: one.jobId,
    user_name: one.user,
    reserved: one.reserved,
    plan: one.plan,
    keys: one.keys,
    service: one.service,
    service_keys: one.serviceKeys,
    ancestors: one.ancestors,
    would_deny: one.wouldDeny,
    created_at: one.createdAt,
  };
}

function attemptRow(tenantId: string, fact: Attempt) {
  const { reservationId, child, attempt, outcome, actual, freed, late, at, permit } = fact;
  return {
    tenant_id: tenantId,
    reservation_id: reservationId,
    child,
    attempt,
    outcome,
    actual,
    freed,
    late,
    at,
    permit_id: permit?.id,
    permit_outcome: permit?.outcome,
  };
}

function entryRow(tenantId: string, entry: TenantBook["changes"]["entries"][number]) {
  const { at, type, unit, reserved, spent, keys, reservationId, jobId, user, detail } = entry;
  return {
    tenant_id: tenantId,
    at,
    type,
    unit,
    reserved,
    spent,
    keys,
    reservation_id: reservationId,
    job_id: jobId,
    user_name: user,
    detail,
  };
}

function actRow(tenantId: string, { jobId, ...act }: Act) {
  return { tenant_id: tenantId, job_id: jobId, ...act };
}
