import type pg from "pg";
import { DeadlineAudit, type Span } from "./audit-deadlines.js";
import { LedgerAudit } from "./audit-ledger.js";
import { auditLog } from "./audit-log.js";
import { ServiceAudit } from "./audit-service.js";
import type { Finding } from "./findings.js";
import type { Logged } from "./operation.js";
import { groupBy } from "./group.js";
import { readTenant, type TenantRecord } from "./tenant-record.js";
import type { ServiceShape, Tenant } from "./tenants.js";

export interface Case {
  /** A connection to the record. */
  readonly client: pg.ClientBase;
  readonly tenants: readonly Tenant[];
  readonly services: readonly ServiceShape[];
  readonly log: readonly Logged[];
  readonly sweepIntervalMs: number;
  /** When sweeps were disturbed. */
  readonly disturbances: readonly Span[];
}

export interface Audited {
  readonly findings: readonly Finding[];
  /** Reservations whose deadline passed in quiet times, so that the sweep could be held to its figure. */
  readonly deadlines: number;
}

/** Reads what clients were told and what the record holds, once things are quiet, and names every difference. */
export async function audit({ client, tenants, services, log, ...sweeps }: Case): Promise<Audited> {
  const byTenant = groupBy(log, ({ tenant }) => tenant.id);
  const found: Finding[] = [];
  const deadlines = new DeadlineAudit(sweeps.sweepIntervalMs, sweeps.disturbances);
  const records: TenantRecord[] = [];
  for (const tenant of tenants) {
    const record = await readTenant(client, tenant.id);
    found.push(...auditLog(tenant.name, byTenant.get(tenant.id) ?? [], record));
    found.push(...new LedgerAudit(tenant, record).run());
    deadlines.add(tenant.name, record);
    records.push(record);
  }
  for (const service of services) {
    const book = await readTenant(client, `service:${service.name}`);
    found.push(...new ServiceAudit(service, book, records).run(log));
  }
  return { findings: [...found, ...deadlines.findings], deadlines: deadlines.judged };
}
