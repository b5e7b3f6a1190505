import type {
  Attempt,
  Balance,
  ChangedBalance,
  Instant,
  Job,
  KeyRecord,
  LedgerEntry,
  Reservation,
  SettingChange,
  Tenant,
  TenantBook,
  TenantSettings,
  UserAllowanceSetting,
} from "#libs/ledger";
import { attemptsId, serviceOfBook } from "#libs/ledger";
import type { TenantConfig } from "../../libs/ledger/protocol/ports.js";

/** What is committed of one tenant. Rows are never handed out: readers get copies, as over a connection. */
export interface TenantTables {
  tenant: Tenant;
  settings: TenantSettings;
  readonly users: Map<string, Record<string, UserAllowanceSetting>>;
  readonly jobs: Map<string, Job>;
  readonly reservations: Map<string, Reservation>;
  /** By the name that the book gives them. */
  readonly attempts: Map<string, readonly Attempt[]>;
  readonly balances: Map<string, Balance>;
  readonly keys: Map<string, KeyRecord>;
  /** What else bounds a service, or the tenant at it, by the service's name. */
  readonly flows: Map<string, object | null>;
  entries: number;
}

/** What one commit writes of one tenant, as it was sent; entries that move nothing are left out. */
export interface Writes {
  readonly tenantId: string;
  readonly tenant: Tenant | null;
  readonly settings: readonly SettingChange[];
  readonly balances: readonly ChangedBalance[];
  readonly newJobs: readonly Job[];
  readonly jobs: readonly Job[];
  readonly newReservations: readonly Reservation[];
  readonly reservations: readonly Reservation[];
  readonly newAttempts: readonly Attempt[];
  readonly entries: readonly LedgerEntry[];
  readonly keys: readonly KeyRecord[];
  readonly flows: ReadonlyMap<string, object | null>;
}

/** A row that is not as the writer read it: the record's unique keys and conditions, and the belt of row counts. */
export class Broken extends Error {}

export function emptyTables({ tenant, settings }: TenantConfig): TenantTables {
  return {
    tenant,
    settings,
    users: new Map(),
    jobs: new Map(),
    reservations: new Map(),
    attempts: new Map(),
    balances: new Map(),
    keys: new Map(),
    flows: new Map(serviceOfBook(tenant.id) === null ? [] : [[serviceOfBook(tenant.id)!, {}]]),
    entries: 0,
  };
}

/** The changes of a book as the statements would carry them: a copy, since the process may go on with its own. */
export function writesOf({ tenantId, tenant, changes }: TenantBook): Writes {
  const isNewJob = new Set(changes.newJobs);
  const isNew = new Set(changes.newReservations);
  return {
    tenantId,
    tenant: changes.tenant ? { ...tenant! } : null,
    settings: [...changes.settings],
    balances: [...changes.balances.values()].map((changed) => ({ ...changed, balance: { ...changed.balance } })),
    newJobs: changes.newJobs.map((job) => ({ ...job })),
    jobs: [...changes.jobs].filter((job) => !isNewJob.has(job)).map((job) => ({ ...job })),
    newReservations: changes.newReservations.map((one) => ({ ...one })),
    reservations: [...changes.reservations].filter((one) => !isNew.has(one)).map((one) => ({ ...one })),
    newAttempts: [...changes.newAttempts],
    entries: changes.entries.filter((entry) => entry.type !== "settings"),
    keys: [...changes.keys],
    flows: new Map(changes.flows),
  };
}

/** The conditions of libs/ledger/postgres/write.ts, all of them before anything is written. @throws Broken */
export function check(tables: TenantTables, writes: Writes): void {
  if (writes.tenant && tables.tenant.configVersion >= writes.tenant.configVersion)
    throw new Broken("tenants: not newer");
  for (const changed of writes.balances) checkBalance(tables.balances, changed);
  checkIds("jobs", tables.jobs, writes.newJobs, writes.jobs);
  checkIds("reservations", tables.reservations, writes.newReservations, writes.reservations);
  for (const { attempt, ...of } of writes.newAttempts) {
    const there = tables.attempts.get(attemptsId(of.reservationId, of.child)) ?? [];
    if (there.some((one) => one.attempt === attempt)) throw new Broken("attempts: already charged");
  }
  const seen = new Set<string>();
  for (const { key } of writes.keys) {
    if (tables.keys.has(key) || seen.has(key)) throw new Broken("idempotency keys: in use");
    seen.add(key);
  }
}

function checkBalance(rows: TenantTables["balances"], { balance, readVersion, bound }: ChangedBalance): void {
  if ((rows.get(balance.key)?.version ?? 0) !== readVersion) throw new Broken("balances: another version");
  const fits = balance.limit === null || balance.spent + balance.reserved <= balance.limit;
  if (bound && !fits) throw new Broken("balances: over the limit");
}

function checkIds(
  table: string,
  rows: ReadonlyMap<string, unknown>,
  added: readonly { id: string }[],
  changed: readonly { id: string }[],
): void {
  if (added.some(({ id }) => rows.has(id))) throw new Broken(`${table}: id in use`);
  if (changed.some(({ id }) => !rows.has(id))) throw new Broken(`${table}: no such row`);
}

export function apply(tables: TenantTables, writes: Writes): void {
  if (writes.tenant) tables.tenant = writes.tenant;
  for (const change of writes.settings) applySetting(tables, change);
  for (const { balance } of writes.balances) tables.balances.set(balance.key, balance);
  for (const job of [...writes.newJobs, ...writes.jobs]) tables.jobs.set(job.id, job);
  for (const one of [...writes.newReservations, ...writes.reservations]) tables.reservations.set(one.id, one);
  for (const attempt of writes.newAttempts) {
    const id = attemptsId(attempt.reservationId, attempt.child);
    tables.attempts.set(id, [...(tables.attempts.get(id) ?? []), attempt]);
  }
  for (const key of writes.keys) tables.keys.set(key.key, key);
  for (const [service, flow] of writes.flows) tables.flows.set(service, flow);
  tables.entries += writes.entries.length;
}

function applySetting(tables: TenantTables, change: SettingChange): void {
  const { users } = tables;
  if (change.kind !== "user") tables.settings = withSetting(tables.settings, change);
  else users.set(change.user, withUnit(users.get(change.user) ?? {}, change));
}

/** The settings after a change of an allowance or of a default; a user's own limit is none of them. */
export function withSetting(settings: TenantSettings, change: SettingChange): TenantSettings {
  const { unit } = change;
  if (change.kind === "user") return settings;
  if (change.kind === "tenant") return { ...settings, allowances: withUnit(settings.allowances, change) };
  if (change.kind === "service") {
    const { [change.service]: share = {}, ...others } = settings.shares;
    return { ...settings, shares: { ...others, [change.service]: withUnit(share, change) } };
  }
  const name = change.kind === "userDefault" ? "userAllowance" : "jobAllowance";
  const { [unit]: _, ...others } = settings[name];
  return { ...settings, [name]: change.limit === null ? others : { ...others, [unit]: change.limit } };
}

function withUnit<Setting>(
  allowances: Readonly<Record<string, Setting>>,
  { unit, setting }: { unit: string; setting: Setting | null },
): Record<string, Setting> {
  const { [unit]: _, ...others } = allowances;
  return setting ? { ...others, [unit]: setting } : others;
}

export function overdue(tables: TenantTables, now: Instant): Reservation[] {
  return [...tables.reservations.values()].filter(({ state, expiresAt }) => state === "open" && expiresAt <= now);
}
