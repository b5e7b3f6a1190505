import { available, overage, type Amounts, type Denial } from "#libs/plan";
import type { Balance } from "./balance.js";
import type { Job, Reservation, Tenant, TenantSettings } from "./entities.js";

/** Public answers, as plain JSON (contract: instants as RFC 3339 UTC with milliseconds, no limit as "unlimited"). */

export function instant(at: number): string {
  return new Date(at).toISOString();
}

export function limitView(limit: number | null): number | "unlimited" {
  return limit ?? "unlimited";
}

export function denialView(denial: Denial) {
  return { ...denial, limit: limitView(denial.limit) };
}

export function reservationView(reservation: Reservation): object {
  const { id, jobId, state, reserved, plan } = reservation;
  return {
    id,
    jobId,
    state,
    reserved,
    ...(plan && { plan }),
    expiresAt: instant(reservation.expiresAt),
    createdAt: instant(reservation.createdAt),
    ...(reservation.closedAt !== null && { closedAt: instant(reservation.closedAt) }),
    ...(reservation.actual && settlement(reserved, reservation.actual, reservation.late)),
    ...(reservation.wouldDeny && { wouldDeny: denialView(reservation.wouldDeny) }),
  };
}

/** `released = max(0, reserved − actual)` and `overage = max(0, actual − reserved)`, per unit. */
function settlement(reserved: Amounts, actual: Amounts, late: boolean) {
  const released: Record<string, number> = {};
  const overage: Record<string, number> = {};
  for (const unit of Object.keys(reserved)) {
    const difference = reserved[unit]! - actual[unit]!;
    released[unit] = Math.max(0, difference);
    overage[unit] = Math.max(0, -difference);
  }
  return { actual, released, overage, late };
}

export function jobView(job: Job): object {
  const { id, user, name, labels, state, allowance } = job;
  return {
    id,
    state,
    ...(user !== null && { user }),
    ...(name !== null && { name }),
    labels,
    allowance,
    createdAt: instant(job.createdAt),
    ...(job.closedAt !== null && { closedAt: instant(job.closedAt) }),
  };
}

export function tenantView(tenant: Tenant, settings: TenantSettings): object {
  const allowances: Record<string, object> = {};
  for (const [unit, { limit, period, timeZone }] of Object.entries(settings.allowances)) {
    allowances[unit] = { limit: limitView(limit), period, timeZone };
  }
  return {
    id: tenant.id,
    name: tenant.name,
    enforcement: tenant.enforcement,
    state: tenant.state,
    allowances,
    jobAllowance: settings.jobAllowance,
    userAllowance: settings.userAllowance,
    createdAt: instant(tenant.createdAt),
    ...(tenant.deletedAt !== null && { deletedAt: instant(tenant.deletedAt) }),
  };
}

export function balanceView(balance: Balance): object {
  const { scope, unit, window, limit, reserved, spent } = balance;
  return {
    scope,
    unit,
    window,
    limit: limitView(limit),
    reserved,
    spent,
    available: available(balance),
    overage: overage(balance),
  };
}
