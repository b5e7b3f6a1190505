import {
  lookUp,
  MAX_AMOUNT,
  parseBalanceKey,
  serviceOfBook,
  sharePlaces,
  tenantPlace,
  userPlace,
  type AllowanceSetting,
  type Attempt,
  attemptsId,
  type Balance,
  type Command,
  type Configure,
  type Denial,
  type Job,
  type Place,
  type Reservation,
  type TenantBook,
} from "#libs/ledger";

type Entry = TenantBook["changes"]["entries"][number];

/** What the contract says that a client is shown of a book, written down apart from the product's own views. */

const at = (instant: number) => new Date(instant).toISOString();
const limited = (limit: number | null) => limit ?? "unlimited";
const maybe = <T>(name: string, value: T | null | undefined, shown: (value: T) => unknown = (same) => same) =>
  value === null || value === undefined ? {} : { [name]: shown(value) };

export function jobShown(job: Job): object {
  const { id, state, user, name, labels, allowance, ancestors, createdAt, closedAt, wouldDeny } = job;
  const times = { createdAt: at(createdAt), ...maybe("closedAt", closedAt, at) };
  const [parentJobId] = ancestors;
  const place = { depth: ancestors.length + 1, ...(parentJobId !== undefined && { parentJobId, grant: allowance }) };
  return {
    id,
    state,
    ...maybe("user", user),
    ...maybe("name", name),
    labels,
    allowance,
    ...place,
    ...times,
    ...maybe("wouldDeny", wouldDeny, deniedShown),
  };
}

export function reservationShown(reservation: Reservation): object {
  const { id, jobId, service, state, reserved, held, charged, plan, wouldDeny, ...times } = reservation;
  const { createdAt, expiresAt, closedAt } = times;
  return {
    ...{ id, jobId, state, reserved, held, charged },
    ...maybe("service", service),
    ...maybe("plan", plan),
    ...{ createdAt: at(createdAt), expiresAt: at(expiresAt) },
    ...maybe("closedAt", closedAt, at),
    ...(state === "settled" && settledShown(reservation)),
    ...maybe("wouldDeny", wouldDeny, deniedShown),
  };
}

function settledShown({ reserved, charged, actual, late }: Reservation): object {
  const each = (of: (held: number, used: number) => number) =>
    Object.fromEntries(
      Object.entries(reserved).map(([unit, held]) => [unit, of(held, charged[unit]! + actual![unit]!)]),
    );
  const over = (by: number) => (by > 0 ? by : 0);
  return {
    actual,
    released: each((held, used) => over(held - used)),
    overage: each((held, used) => over(used - held)),
    late,
  };
}

export function attemptShown({ at: when, freed, permit: _, ...attempt }: Attempt): object {
  const used = Object.entries(attempt.actual);
  const released = used.map(([unit, amount]) => [unit, Math.max(0, freed[unit]! - amount)] as const);
  const overage = used.map(([unit, amount]) => [unit, Math.max(0, amount - freed[unit]!)] as const);
  return {
    ...attempt,
    released: Object.fromEntries(released),
    overage: Object.fromEntries(overage),
    at: at(when),
  };
}

function deniedShown(denial: Denial): object {
  return { ...denial, limit: limited(denial.limit) };
}

export function balanceShown({ scope, unit, window, limit, reserved, spent }: Omit<Balance, "version">): object {
  const room = (limit ?? MAX_AMOUNT) - reserved - spent;
  const left = room > 0 ? { available: room, overage: 0 } : { available: 0, overage: 0 - room };
  return { scope, unit, window, limit: limited(limit), reserved, spent, ...left };
}

export function tenantShown({ tenant, settings }: TenantBook): object {
  const { id, name, enforcement, state, createdAt } = tenant!;
  const { jobAllowance, userAllowance } = settings;
  const units = Object.entries(settings.allowances).map(([unit, set]) => [unit, settingShown(set)] as const);
  const set = { allowances: Object.fromEntries(units), jobAllowance, userAllowance };
  return { id, name, enforcement, state, ...set, createdAt: at(createdAt) };
}

/** What is set for a service, and for a tenant at one. */
export function serviceShown({ tenant, settings, flows }: TenantBook): object {
  const { name, configVersion: version, createdAt } = tenant!;
  return { name, ...unitsShown(settings.allowances), ...flows.find(name), version, createdAt: at(createdAt) };
}

export function shareShown({ settings, flows }: TenantBook, service: string): object {
  return { name: service, ...unitsShown(lookUp(settings.shares, service) ?? {}), ...flows.find(service) };
}

function unitsShown(allowances: Readonly<Record<string, AllowanceSetting>>): object {
  const units = Object.entries(allowances).map(([unit, set]) => [unit, settingShown(set)]);
  return units.length > 0 ? { allowances: Object.fromEntries(units) as object } : {};
}

/** The balances that bind now at a service: of the tenant's share, or in the service's own book of all. */
export function boundShown(book: TenantBook, service: string, now: number): object[] {
  const { settings, tenantId } = book;
  const units = Object.keys(lookUp(settings.shares, service) ?? {});
  const places =
    serviceOfBook(tenantId) === null
      ? sharePlaces(tenantId, settings, service, units, now)
      : Object.keys(settings.allowances).map((unit) => tenantPlace(tenantId, settings, unit, now));
  return places.map((place) => placeShown(book, place));
}

function settingShown({ limit, period, timeZone }: AllowanceSetting): object {
  return { limit: limited(limit), period, timeZone };
}

export function entryShown({ tenantId }: TenantBook, entry: Entry): object {
  const { type, unit, reserved, spent, keys, reservationId, jobId, user, detail } = entry;
  const scopes = keys.map((key) => {
    const { scope, window } = parseBalanceKey(tenantId, key);
    const whose = scope.kind === "service" && serviceOfBook(tenantId) === null && { tenantId };
    return { kind: scope.kind, id: scope.id, ...whose, window };
  });
  // Minus zero, what nothing held gives back, is zero in JSON.
  return {
    ...{ type, at: at(entry.at), reserved: reserved + 0, spent, scopes },
    ...maybe("unit", unit),
    ...maybe("reservationId", reservationId),
    ...maybe("jobId", jobId),
    ...maybe("user", user),
    ...maybe("detail", detail, detailShown),
  };
}

function detailShown(detail: NonNullable<Entry["detail"]>): object {
  if ("service" in detail) {
    const { service, before, after, actor, reason } = detail;
    return { service, actor, ...maybe("before", before), ...maybe("after", after), ...maybe("reason", reason) };
  }
  if (!("scope" in detail)) return detail;
  const { scope, from, to, actor, reason } = detail;
  return {
    scope,
    ...(from !== undefined && { from: limited(from) }),
    to: limited(to),
    actor,
    ...maybe("reason", reason),
  };
}

/** The balances that bind now at the tenant or at a user, one a unit. */
export function bindingShown(book: TenantBook, user: string | null, now: number): object[] {
  const { settings, tenantId } = book;
  return Object.keys(settings.allowances).map((unit) =>
    user === null
      ? placeShown(book, tenantPlace(tenantId, settings, unit, now))
      : placeShown(book, userPlace(settings, user, lookUp(book.users.find(user) ?? {}, unit), unit, now)),
  );
}

function placeShown(book: TenantBook, place: Place): object {
  return balanceShown(book.balances.find(place.key) ?? { ...place, reserved: 0, spent: 0 });
}

/** Every balance of a job: where it has a limit, and where something was taken. */
export function jobBalancesShown(book: TenantBook, { id, allowance }: Job): object[] {
  return Object.keys(book.settings.allowances).flatMap((unit) => {
    const key = `job:${id}:${unit}:none`;
    const scope = { kind: "job", id } as const;
    const limit = lookUp(allowance, unit);
    if (limit === undefined && book.balances.find(key) === null) return [];
    return [placeShown(book, { key, scope, unit, window: "none", limit: limit ?? null })];
  });
}

/** What the answer to a command that was done shows of the book after it; null where it shows nothing that stands there. */
export function shownAfter(book: TenantBook, command: Command, now: number): object | null {
  switch (command.type) {
    case "createJob":
    case "endJob":
      return jobShown(book.jobs.find(command.jobId)!);
    case "reserve":
      return command.dryRun ? null : reservationShown(book.reservations.find(command.reservationId)!);
    case "charge": {
      const of = book.attempts.find(attemptsId(command.reservationId, command.child));
      return attemptShown(of!.find(({ attempt }) => attempt === command.attempt)!);
    }
    case "settle":
    case "release":
    case "extend":
      return reservationShown(book.reservations.find(command.reservationId)!);
    case "configure":
      return changeShown(book, command, now);
    default:
      return null;
  }
}

function changeShown(book: TenantBook, { change }: Configure, now: number): object | null {
  if (change.change === "state" || change.change === "patch") return tenantShown(book);
  if (change.change === "service") return serviceShown(book);
  // What is taken away is shown as it was.
  if (change.change === "share") return change.flow && shareShown(book, change.service);
  const { settings, tenantId } = book;
  const { unit } = change;
  if (change.change !== "userAllowance") {
    const balance = placeShown(book, tenantPlace(tenantId, settings, unit, now));
    return { unit, ...settingShown(settings.allowances[unit]!), balance };
  }
  const { user, setting } = change;
  const own = lookUp(book.users.find(user) ?? {}, unit);
  const place = userPlace(settings, user, own, unit, now);
  const { period, timeZone } = setting ?? { period: null, timeZone: null };
  return { user, unit, limit: limited(place.limit), period, timeZone, balance: placeShown(book, place) };
}
