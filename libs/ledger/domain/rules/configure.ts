import { lookUp, MAX_AMOUNT } from "#libs/plan";
import type { Balance } from "../balance.js";
import { balancesAt, tenantPlace, userPlace } from "../binding.js";
import type { SettingChange, TenantBook } from "../book.js";
import { done, refused, type Configure, type Outcome, type TenantChange } from "../commands.js";
import type { Instant, Tenant, TenantSettings, UserAllowanceSetting } from "../entities.js";
import { balanceView, limitView, tenantView } from "../views.js";
import { changeLimit } from "./limits.js";
import { unitUnknown } from "./reserve.js";
import { setService, setShare } from "./services.js";

type Change<Kind extends TenantChange["change"]> = Extract<TenantChange, { change: Kind }>;

/** Changes a tenant or what is set for it. A change to what already is changes nothing and answers the same. */
export function configure(book: TenantBook, command: Configure, now: Instant): Outcome {
  const { tenant } = book;
  if (!tenant || tenant.state === "deleted") return refused("not_found", "There is no such tenant.");
  const { change } = command;
  switch (change.change) {
    case "state":
      return setState(book, tenant, command, change, now);
    case "patch":
      return patch(book, tenant, command, change, now);
    case "allowance":
      return setAllowance(book, tenant, command, change, now);
    case "adjust":
      return adjust(book, tenant, command, change, now);
    case "userAllowance":
      return setUserAllowance(book, tenant, command, change, now);
    case "service":
      return setService(book, tenant, command, change, now);
    case "share":
      return setShare(book, tenant, command, change, now);
  }
}

const ACTS = { active: "resume", suspended: "suspend", deleted: "delete" } as const;

function setState(
  book: TenantBook,
  tenant: Tenant,
  { actor, reason }: Configure,
  { state }: Change<"state">,
  now: Instant,
): Outcome {
  if (tenant.state !== state) {
    tenant.state = state;
    book.addAct({ at: now, act: ACTS[state], jobId: null, actor, reason });
    if (state === "deleted") tenant.deletedAt = now;
    book.reconfigure(tenant, []);
  }
  return done(tenantView(tenant, book.settings));
}

function patch(book: TenantBook, tenant: Tenant, command: Configure, change: Change<"patch">, now: Instant): Outcome {
  const { settings } = book;
  const unknown = [...Object.keys(change.userAllowance ?? {}), ...Object.keys(change.jobAllowance ?? {})].find(
    (unit) => !lookUp(settings.allowances, unit),
  );
  if (unknown !== undefined) return unitUnknown(unknown);
  const changes: SettingChange[] = [];
  const userAllowance = { ...settings.userAllowance };
  const jobAllowance = { ...settings.jobAllowance };
  for (const [unit, limit] of Object.entries(change.userAllowance ?? {})) {
    changes.push({ kind: "userDefault", unit, limit });
    assign(userAllowance, unit, limit);
  }
  for (const [unit, limit] of Object.entries(change.jobAllowance ?? {})) {
    changes.push({ kind: "jobDefault", unit, limit });
    assign(jobAllowance, unit, limit);
  }
  const changed = { ...settings, userAllowance, jobAllowance };
  // Read everything before the first change.
  const users = Object.keys(change.userAllowance ?? {}).flatMap((unit) => outdatedUsers(book, changed, unit, now));

  tenant.name = change.name ?? tenant.name;
  setEnforcement(book, tenant, command, change.enforcement ?? tenant.enforcement, now);
  book.settings = changed;
  for (const { balance, to } of users) changeLimit(book, command, balance, { from: balance.limit, to, now });
  book.reconfigure(tenant, changes);
  return done(tenantView(tenant, book.settings));
}

function setEnforcement(
  book: TenantBook,
  tenant: Tenant,
  { actor, reason }: Configure,
  enforcement: Tenant["enforcement"],
  now: Instant,
): void {
  if (tenant.enforcement === enforcement) return;
  tenant.enforcement = enforcement;
  book.addAct({ at: now, act: enforcement, jobId: null, actor, reason });
}

function assign(limits: Record<string, number>, unit: string, limit: number | null): void {
  if (limit === null) Reflect.deleteProperty(limits, unit);
  else limits[unit] = limit;
}

/** The current balances of users whose limit is not the one that these settings, or their own, set for them. */
function outdatedUsers(book: TenantBook, settings: TenantSettings, unit: string, now: Instant) {
  const balances = book.userBalances(unit);
  const users = [...new Set(balances.map(({ scope }) => scope.id))];
  const owns = new Map(book.users.findAll(users).map((own, i) => [users[i], own]));
  return balances.flatMap((balance) => {
    const user = balance.scope.id;
    const { key, limit: to } = userPlace(settings, user, lookUp(owns.get(user) ?? {}, unit), unit, now);
    if (key !== balance.key) return [];
    // Also one that needs no change: a change that is repeated tells the copies of it again.
    book.consulted.set(key, balance);
    return to !== balance.limit ? [{ balance, to }] : [];
  });
}

function setAllowance(
  book: TenantBook,
  tenant: Tenant,
  command: Configure,
  { unit, limit, ...change }: Change<"allowance">,
  now: Instant,
): Outcome {
  const before = lookUp(book.settings.allowances, unit);
  const period = change.period ?? before?.period ?? "none";
  const timeZone = change.timeZone ?? before?.timeZone ?? "UTC";
  const setting = { limit, period, timeZone };
  const settings = { ...book.settings, allowances: { ...book.settings.allowances, [unit]: setting } };
  const place = tenantPlace(tenant.id, settings, unit, now);
  const [balance] = balancesAt(book, [place]);
  const sameWindows = before?.period === period && before.timeZone === timeZone;
  if (sameWindows && before.limit === limit) return done(allowanceView(settings, unit, balance!));
  // Users count in these windows too: one that was left and is entered again may hold limits of long ago.
  const users = sameWindows ? [] : outdatedUsers(book, settings, unit, now);
  book.settings = settings;
  changeLimit(book, command, balance!, { from: before?.limit, to: limit, now });
  for (const user of users) changeLimit(book, command, user.balance, { from: user.balance.limit, to: user.to, now });
  book.reconfigure(tenant, [{ kind: "tenant", unit, setting }]);
  return done(allowanceView(settings, unit, balance!));
}

function adjust(
  book: TenantBook,
  tenant: Tenant,
  command: Configure,
  { unit, delta }: Change<"adjust">,
  now: Instant,
): Outcome {
  const before = lookUp(book.settings.allowances, unit);
  if (!before) return unitUnknown(unit);
  if (before.limit === null) return refused("conflict", "The allowance is unlimited: there is nothing to adjust.");
  const limit = before.limit + delta;
  if (limit < 0) return refused("conflict", `The allowance is ${before.limit}: it cannot be cut by ${-delta}.`);
  if (limit > MAX_AMOUNT) return refused("conflict", `The allowance cannot pass ${MAX_AMOUNT}.`);
  return setAllowance(book, tenant, command, { change: "allowance", unit, ...before, limit }, now);
}

function setUserAllowance(
  book: TenantBook,
  tenant: Tenant,
  command: Configure,
  { user, unit, setting }: Change<"userAllowance">,
  now: Instant,
): Outcome {
  const { settings } = book;
  if (!lookUp(settings.allowances, unit)) return unitUnknown(unit);
  const owns = book.users.find(user) ?? {};
  const before = lookUp(owns, unit);
  const place = userPlace(settings, user, setting ?? undefined, unit, now);
  const [balance] = balancesAt(book, [place]);
  const { limit } = place;
  const { period, timeZone } = setting ?? { period: null, timeZone: null };
  const answer = () => ({ user, unit, limit: limitView(limit), period, timeZone, balance: balanceView(balance!) });
  if (sameSetting(before, setting)) return done(answer());
  const { [unit]: _, ...others } = owns;
  book.users.rows.set(user, setting ? { ...owns, [unit]: setting } : others);
  const from = before ? before.limit : lookUp(settings.userAllowance, unit);
  changeLimit(book, command, balance!, { from, to: limit, now });
  book.reconfigure(tenant, [{ kind: "user", user, unit, setting }]);
  return done(answer());
}

function sameSetting(before: UserAllowanceSetting | undefined, setting: UserAllowanceSetting | null): boolean {
  if (!before || !setting) return !before && !setting;
  return (["limit", "period", "timeZone"] as const).every((name) => before[name] === setting[name]);
}

function allowanceView({ allowances }: TenantSettings, unit: string, balance: Balance): object {
  const { limit, period, timeZone } = allowances[unit]!;
  return { unit, limit: limitView(limit), period, timeZone, balance: balanceView(balance) };
}
