import type { LedgerEntry, Reservation, Tenant, TenantSettings } from "#libs/ledger";
import { accountKey, hourOf, type Account } from "./accounts.js";
import type { Auditor, Ledgered } from "./auditor.js";
import { isEnforced, type Held } from "./holds.js";
import type { Writes } from "./tables.js";

/** The accounts that a reservation must be held by at its service: in every unit that the service has an allowance in. */
export function accountsAtService(
  { tenants }: Auditor,
  { service, reserved, createdAt }: Reservation,
): Held["service"] {
  const at = new Map<string, { key: string; account: Account }>();
  if (service === null) return at;
  const { settings, accounts } = tenants.get(`service:${service}`)!;
  for (const unit of Object.keys(reserved)) {
    const set = settings.allowances[unit];
    if (!set) continue;
    const key = accountKey("service", service, unit, set.period === "hour" ? hourOf(createdAt) : "none");
    at.set(unit, { key, account: accounts.open(key, set.limit) });
  }
  return at;
}

/** What the tenant itself may take at the service: in which window it counts, and how much; undefined: nothing is set. */
export function shareBinding(
  { shares }: TenantSettings,
  { service, createdAt }: Reservation,
  unit: string,
): { window: string; limit: number | null } | undefined {
  const set = service === null ? undefined : shares[service]?.[unit];
  return set && { window: set.period === "hour" ? hourOf(createdAt) : "none", limit: set.limit };
}

/** What must be held under this name: by the open reservations of all tenants. */
export function heldForService({ tenants }: Auditor, key: string, unit: string): number {
  let sum = 0;
  for (const { open } of tenants.values()) {
    for (const held of open) if (held.service.get(unit)?.key === key) sum += held.left[unit] ?? 0;
  }
  return sum;
}

/** Keeps what a commit moved at services, in the order in which it did. */
export class AtServices {
  constructor(
    private readonly auditor: Auditor,
    /** The tenants as they were before this commit. */
    private readonly before: ReadonlyMap<string, Tenant>,
    private readonly time: number,
  ) {}

  book(known: Ledgered, { entries }: Writes): void {
    for (const entry of entries) {
      if (entry.type === "limit") this.auditor.bookLimit(known, entry);
      else this.move(known, entry);
    }
  }

  private move({ accounts }: Ledgered, entry: LedgerEntry): void {
    const { auditor, before, time } = this;
    const { type, unit, keys, reservationId } = entry;
    const tenant = auditor.tenants.get(tenantOf(entry));
    const at = tenant?.reservations.get(reservationId!)?.service.get(unit);
    if (!tenant || !at) return auditor.find(`an entry at a service of ${reservationId}, which is not for it`);
    if (keys.join() !== at.key) auditor.find(`${reservationId} moved ${keys.join()} and not ${at.key}`);
    accounts.change(at.account, { reserved: entry.reserved, spent: entry.spent }, time);
    const { limit, reserved, spent } = at.account;
    if (reserved < 0 || spent < 0) auditor.find(`${reservationId}: a negative figure at the service after ${type}`);
    const enforced = type === "reserve" && isEnforced(tenant.tenant, before.get(tenant.tenant.id) ?? tenant.tenant);
    if (enforced && limit !== null && reserved + spent > limit)
      auditor.find(`${reservationId} was admitted over a limit: ${reserved} + ${spent} of ${limit} at the service`);
  }
}

/** What moved for a tenant alone, though its reservation is held at a service too, and the other way round. */
export function unmirrored({ tenants }: Auditor, own: readonly Writes[], atServices: readonly Writes[]): string[] {
  const due = own.flatMap(({ tenantId, entries }) =>
    entries
      .filter(({ reservationId, unit }) => tenants.get(tenantId)!.reservations.get(reservationId!)?.service.has(unit))
      .map((entry) => movement(tenantId, entry)),
  );
  const moved = atServices.flatMap(({ entries }) =>
    entries.filter(({ type }) => type !== "limit").map((entry) => movement(tenantOf(entry), entry)),
  );
  const [expected, found] = [due.sort().join("; "), moved.sort().join("; ")];
  return expected === found ? [] : [`services moved "${found}", and tenants "${expected}"`];
}

function movement(tenantId: string, { type, unit, reserved, spent, reservationId }: LedgerEntry): string {
  return `${tenantId} ${reservationId}: ${type} of ${reserved} + ${spent} ${unit}`;
}

function tenantOf({ detail }: LedgerEntry): string {
  return (detail as { tenantId: string }).tenantId;
}
