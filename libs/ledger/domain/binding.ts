import { lookUp, type Scope } from "#libs/plan";
import { balanceKey, type Balance } from "./balance.js";
import type { TenantBook } from "./book.js";
import type { AllowanceSetting, Job, TenantSettings, UserAllowanceSetting } from "./entities.js";
import { scopeOfBook } from "./service-book.js";
import { windowAt } from "./window.js";

/** What names the balances that bind a job's work. All of it is fixed for a job and a version of the settings. */
export interface Binding {
  readonly tenantId: string;
  readonly job: Pick<Job, "id" | "user" | "allowance" | "ancestors">;
  readonly settings: TenantSettings;
  /** The service that the work is for; null: none. */
  readonly service: string | null;
  /** The user's own limits by unit. */
  readonly own: Readonly<Record<string, UserAllowanceSetting>>;
}

/** A balance before anything was taken of it: where it stands, and the limit that is set for it. */
export type Place = Pick<Balance, "key" | "scope" | "unit" | "window" | "limit">;

/**
 * The balances that bind work in `units` at `now`, narrowest scope first: job, user, the tenant's share of the
 * service, tenant. A unit that the tenant has no allowance for must have been refused before.
 */
export function placesOf(binding: Binding, units: readonly string[], now: number): Place[] {
  const { tenantId, job, service } = binding;
  const places = units.map((unit) => jobPlace(job, unit));
  if (job.user !== null) {
    for (const unit of units) places.push(userPlace(binding.settings, job.user, lookUp(binding.own, unit), unit, now));
  }
  if (service !== null) places.push(...sharePlaces(tenantId, binding.settings, service, units, now));
  for (const unit of units) places.push(tenantPlace(tenantId, binding.settings, unit, now));
  return places;
}

/** A child has its grant and nothing else; a root is not bound where it has no limit. */
export function jobPlace({ id, allowance, ancestors }: Binding["job"], unit: string): Place {
  const none = ancestors.length > 0 ? 0 : null;
  return place({ kind: "job", id }, unit, "none", lookUp(allowance, unit) ?? none);
}

/** Where an allowance of a tenant, or of the service whose book it is, counts now. */
export function tenantPlace(tenantId: string, settings: TenantSettings, unit: string, now: number): Place {
  return placeOfSetting(scopeOfBook(tenantId), settings.allowances[unit]!, unit, now);
}

function placeOfSetting(scope: Scope, setting: AllowanceSetting, unit: string, now: number): Place {
  const { limit, period, timeZone } = setting;
  return place(scope, unit, windowAt(period, timeZone, now).id, limit);
}

/** The balances that bind work at a service; a unit that it has no allowance in is not bound there. */
export function servicePlaces(
  bookId: string,
  settings: TenantSettings,
  units: readonly string[],
  now: number,
): Place[] {
  const bound = units.filter((unit) => lookUp(settings.allowances, unit));
  return bound.map((unit) => tenantPlace(bookId, settings, unit, now));
}

/** The balances that bind a tenant's work at a service before those of all tenants do; a unit without a share is not bound. */
export function sharePlaces(
  tenantId: string,
  settings: TenantSettings,
  service: string,
  units: readonly string[],
  now: number,
): Place[] {
  const share = lookUp(settings.shares, service) ?? {};
  const scope = { kind: "service", id: service, tenantId } as const;
  return units.filter((unit) => lookUp(share, unit)).map((unit) => placeOfSetting(scope, share[unit]!, unit, now));
}

/** A user's limit, its own or the default, counts in the tenant's windows of that unit unless it has its own period. */
export function userPlace(
  settings: TenantSettings,
  user: string,
  own: UserAllowanceSetting | undefined,
  unit: string,
  now: number,
): Place {
  const inherited = settings.allowances[unit]!;
  const window = windowAt(own?.period ?? inherited.period, own?.timeZone ?? inherited.timeZone, now).id;
  const limit = own ? own.limit : (lookUp(settings.userAllowance, unit) ?? null);
  return place({ kind: "user", id: user }, unit, window, limit);
}

function place(scope: Scope, unit: string, window: string, limit: number | null): Place {
  return { key: balanceKey(scope, unit, window), scope, unit, window, limit };
}

/** The balances at `places`; one that was never written starts at zero. */
export function balancesAt(book: TenantBook, places: readonly Place[]): Balance[] {
  const balances = figuresAt(book, places);
  for (const balance of balances) book.consulted.set(balance.key, balance);
  return balances;
}

/** The same, where what is found decides nothing that copies would have to know. */
export function figuresAt(book: TenantBook, places: readonly Place[]): Balance[] {
  const rows = book.balances.findAll(places.map(({ key }) => key));
  return places.map((at, i) => rows[i] ?? unwritten(at));
}

/** The balance at a place that was never written. */
export function unwritten(at: Place): Balance {
  return { ...at, reserved: 0, spent: 0, version: 0 };
}
