import {
  parseBalanceKey,
  type Amounts,
  type Attempt,
  type Balance,
  type Denial,
  type Job,
  type Period,
  type Plan,
  type Reservation,
  type Tenant,
  type TenantSettings,
  type UserAllowanceSetting,
} from "#libs/ledger";
import type * as rows from "../../../prisma/generated/client.js";

/** Rows as Prisma reads them, as the entities of the ledger: amounts are numbers, instants are milliseconds. */

export function tenantOf(row: rows.Tenant): Tenant {
  return {
    id: row.id,
    name: row.name,
    enforcement: row.enforcement as Tenant["enforcement"],
    state: row.state as Tenant["state"],
    configVersion: Number(row.configVersion),
    createdAt: row.createdAt.getTime(),
    deletedAt: row.deletedAt && row.deletedAt.getTime(),
  };
}

export function settingsOf(allowances: readonly rows.Allowance[]): TenantSettings {
  const settings: TenantSettings = { allowances: {}, shares: {}, userAllowance: {}, jobAllowance: {} };
  for (const { kind, scopeId, unit, limitAmount, period, timeZone } of allowances) {
    const setting = { limit: amount(limitAmount), period: period as Period, timeZone: timeZone! };
    if (kind === "tenant") {
      settings.allowances[unit] = setting;
    } else if (kind === "service") {
      (settings.shares[scopeId] ??= {})[unit] = setting;
    } else {
      settings[kind === "user" ? "userAllowance" : "jobAllowance"][unit] = Number(limitAmount);
    }
  }
  return settings;
}

export function ownLimitsOf(allowances: readonly rows.Allowance[]): Record<string, UserAllowanceSetting> {
  const own: Record<string, UserAllowanceSetting> = {};
  for (const { unit, limitAmount, period, timeZone } of allowances) {
    own[unit] = { limit: amount(limitAmount), period: period as Period | null, timeZone };
  }
  return own;
}

export function balanceOf(row: rows.Balance): Balance {
  const { tenantId, key, limitAmount, reserved, spent, version } = row;
  return {
    key,
    ...parseBalanceKey(tenantId, key),
    limit: amount(limitAmount),
    reserved: Number(reserved),
    spent: Number(spent),
    version: Number(version),
  };
}

export function jobOf(row: rows.Job): Job {
  return {
    id: row.id,
    user: row.userName,
    name: row.name,
    labels: row.labels as Record<string, string>,
    allowance: row.allowance as Amounts,
    ancestors: row.ancestors,
    wouldDeny: row.wouldDeny as Denial | null,
    state: row.state as Job["state"],
    createdAt: row.createdAt.getTime(),
    closedAt: row.closedAt && row.closedAt.getTime(),
  };
}

export function reservationOf(row: rows.Reservation): Reservation {
  return {
    id: row.id,
    jobId: row.jobId,
    user: row.userName,
    state: row.state as Reservation["state"],
    reserved: row.reserved as Amounts,
    held: row.held as Amounts,
    charged: row.charged as Amounts,
    plan: row.plan as Plan | null,
    keys: row.keys,
    service: row.service,
    serviceKeys: row.serviceKeys,
    ancestors: row.ancestors,
    actual: row.actual as Amounts | null,
    late: row.late,
    wouldDeny: row.wouldDeny as Denial | null,
    createdAt: row.createdAt.getTime(),
    expiresAt: row.expiresAt.getTime(),
    closedAt: row.closedAt && row.closedAt.getTime(),
  };
}

export function attemptOf(row: rows.Attempt): Attempt {
  return {
    reservationId: row.reservationId,
    child: Number(row.child),
    attempt: Number(row.attempt),
    outcome: row.outcome as Attempt["outcome"],
    actual: row.actual as Amounts,
    freed: row.freed as Amounts,
    late: row.late,
    at: row.at.getTime(),
    permit: row.permitId === null ? null : { id: row.permitId, outcome: row.permitOutcome! },
  };
}

function amount(stored: bigint | null): number | null {
  return stored === null ? null : Number(stored);
}
