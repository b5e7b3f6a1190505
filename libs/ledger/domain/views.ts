import { available, overage, type Amounts, type Denial } from "#libs/plan";
import type { Balance } from "./balance.js";
import type { Attempt, Job, Reservation, Tenant, TenantSettings } from "./entities.js";

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
  const { id, jobId, service, state, reserved, held, charged, plan } = reservation;
  return {
    id,
    jobId,
    ...(service !== null && { service }),
    state,
    reserved,
    held,
    charged,
    ...(plan && { plan }),
    expiresAt: instant(reservation.expiresAt),
    createdAt: instant(reservation.createdAt),
    ...(reservation.closedAt !== null && { closedAt: instant(reservation.closedAt) }),
    ...(reservation.actual && settlement(reservation, reservation.actual)),
    ...(reservation.wouldDeny && { wouldDeny: denialView(reservation.wouldDeny) }),
  };
}

/** What was not used of what was reserved, and what was used beyond it; charges count as used. */
function settlement({ reserved, charged, late }: Reservation, actual: Amounts) {
  const used = Object.fromEntries(Object.keys(reserved).map((unit) => [unit, charged[unit]! + actual[unit]!]));
  return { actual, ...difference(reserved, used), late };
}

/** `released = max(0, held − used)` and `overage = max(0, used − held)`, per unit. */
function difference(held: Amounts, used: Amounts) {
  const released: Record<string, number> = {};
  const overage: Record<string, number> = {};
  for (const unit of Object.keys(held)) {
    const left = held[unit]! - used[unit]!;
    released[unit] = Math.max(0, left);
    overage[unit] = Math.max(0, -left);
  }
  return { released, overage };
}

export function attemptView({ reservationId, child, attempt, outcome, actual, freed, late, at }: Attempt): object {
  return { reservationId, child, attempt, outcome, actual, ...difference(freed, actual), late, at: instant(at) };
}

export function jobView(job: Job): object {
  const { id, user, name, labels, state, allowance, ancestors, wouldDeny } = job;
  return {
    id,
    state,
    ...(user !== null && { user }),
    ...(name !== null && { name }),
    labels,
    allowance,
    ...(ancestors.length > 0 && { parentJobId: ancestors[0], grant: allowance }),
    depth: depthOf(job),
    ...(wouldDeny && { wouldDeny: denialView(wouldDeny) }),
    createdAt: instant(job.createdAt),
    ...(job.closedAt !== null && { closedAt: instant(job.closedAt) }),
  };
}

/** A root stands at 1. */
export function depthOf({ ancestors }: Pick<Job, "ancestors">): number {
  return ancestors.length + 1;
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
