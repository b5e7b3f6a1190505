import { lookUp } from "#libs/plan";
import type { Balance } from "../balance.js";
import { balancesAt, servicePlaces, sharePlaces, type Place } from "../binding.js";
import type { SettingChange, TenantBook } from "../book.js";
import { done, refused, type Configure, type Outcome, type TenantChange } from "../commands.js";
import type { AllowanceSetting, Instant, SettingsChange, Tenant, TenantSettings } from "../entities.js";
import { serviceOfBook } from "../service-book.js";
import { instant } from "../views.js";
import { changeLimit } from "./limits.js";
import { unitUnknown } from "./reserve.js";

type Allowances = Readonly<Record<string, AllowanceSetting>>;

/**
 * Replaces all that is set for a service. An allowance that is not named any more does not bind; what was taken of it
 * stays on record, and is found again where the allowance is set again.
 */
export function setService(
  book: TenantBook,
  tenant: Tenant,
  command: Configure,
  { allowances, flow }: Extract<TenantChange, { change: "service" }>,
  now: Instant,
): Outcome {
  const { settings } = book;
  const service = serviceOfBook(book.tenantId)!;
  const places = (set: Allowances, units: readonly string[]) =>
    servicePlaces(book.tenantId, { ...settings, allowances: set }, units, now);
  const changed = changesOf(book, settings.allowances, allowances, places);
  const before = tenant.configVersion > 0 ? book.flows.find(service) : null;

  book.settings = { ...settings, allowances };
  setFlow(book, command, { service, before, after: flow }, now);
  for (const { balance, from, to } of changed) changeLimit(book, command, balance, { from, to, now });
  book.reconfigure(
    tenant,
    changed.map(({ unit, setting }) => ({ kind: "tenant", unit, setting })),
  );
  // What another command sets in the same moment is not in this one's answer.
  return done({ version: tenant.configVersion, createdAt: instant(tenant.createdAt), updatedAt: instant(now) });
}

/** The same for what is set for one tenant at a service. What it may take there it must be able to take at all. */
export function setShare(
  book: TenantBook,
  tenant: Tenant,
  command: Configure,
  { service, allowances, flow }: Extract<TenantChange, { change: "share" }>,
  now: Instant,
): Outcome {
  if (!book.service(service)) return refused("not_found", "There is no such service.");
  const { settings } = book;
  const unknown = Object.keys(allowances).find((unit) => !lookUp(settings.allowances, unit));
  if (unknown !== undefined) return unitUnknown(unknown);
  const before = book.flows.find(service);
  if (!before && !flow) return refused("not_found", "There is no such setting.");
  const places = (set: Allowances, units: readonly string[]) =>
    sharePlaces(book.tenantId, withShare(settings, service, set), service, units, now);
  const changed = changesOf(book, lookUp(settings.shares, service) ?? {}, allowances, places);

  book.settings = withShare(settings, service, allowances);
  setFlow(book, command, { service, before, after: flow }, now);
  for (const { balance, from, to } of changed) changeLimit(book, command, balance, { from, to, now });
  const changes = changed.map(({ unit, setting }): SettingChange => ({ kind: "service", service, unit, setting }));
  if (changes.length > 0) book.reconfigure(tenant, changes);
  return done({ updatedAt: instant(now) });
}

function withShare(settings: TenantSettings, service: string, allowances: Allowances): TenantSettings {
  const { [service]: _, ...others } = settings.shares;
  return { ...settings, shares: Object.keys(allowances).length > 0 ? { ...others, [service]: allowances } : others };
}

interface Changed {
  readonly balance: Balance;
  readonly unit: string;
  /** null: it does not bind any more. */
  readonly setting: AllowanceSetting | null;
  readonly from: number | null | undefined;
  readonly to: number | null;
}

/** The allowances that are set otherwise, each with the balance that it counts in now, or did. */
function changesOf(
  book: TenantBook,
  before: Allowances,
  after: Allowances,
  places: (set: Allowances, units: readonly string[]) => Place[],
): Changed[] {
  const dropped = Object.keys(before).filter((unit) => !lookUp(after, unit));
  // Also those that stay as they are: a change that is repeated tells the copies of them again.
  const balances = balancesAt(book, [...places(after, Object.keys(after)), ...places(before, dropped)]);
  return balances
    .filter(({ unit }) => !isSame(lookUp(before, unit), lookUp(after, unit)))
    .map((balance) => {
      const { unit } = balance;
      const [from, setting] = [lookUp(before, unit)?.limit, lookUp(after, unit) ?? null];
      return { balance, unit, setting, from, to: setting?.limit ?? null };
    });
}

function isSame(one: AllowanceSetting | undefined, other: AllowanceSetting | undefined): boolean {
  return one?.limit === other?.limit && one?.period === other?.period && one?.timeZone === other?.timeZone;
}

/** Sets what else bounds a service, and journals a change of it. */
function setFlow(
  book: TenantBook,
  { actor, reason }: Configure,
  change: Pick<SettingsChange, "service" | "before" | "after">,
  now: Instant,
): void {
  const { service, before, after } = change;
  book.setFlow(service, after);
  if (textOf(before) === textOf(after)) return;
  const nowhere = { unit: null, reserved: 0, spent: 0, keys: [], reservationId: null, jobId: null, user: null };
  book.addEntry({ type: "settings", at: now, ...nowhere, detail: { ...change, actor, reason } });
}

/** As JSON, with the fields of objects in one order. */
function textOf(flow: object | null): string {
  return JSON.stringify(flow, (_, part: unknown) =>
    typeof part === "object" && part !== null
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
}
