import type pg from "pg";
import { LedgerAudit } from "./audit-ledger.js";
import { auditLog } from "./audit-log.js";
import type { Finding } from "./findings.js";
import type { Logged } from "./operation.js";
import { groupBy } from "./group.js";
import { readTenant } from "./tenant-record.js";
import type { Tenant } from "./tenants.js";

export interface Case {
  /** A connection to the record. */
  readonly client: pg.ClientBase;
  readonly tenants: readonly Tenant[];
  readonly log: readonly Logged[];
  readonly sweepIntervalMs: number;
}

/** Reads what clients were told and what the record holds, once things are quiet, and names every difference. */
export async function audit({ client, tenants, log, sweepIntervalMs }: Case): Promise<Finding[]> {
  const byTenant = groupBy(log, ({ tenant }) => tenant.id);
  const found: Finding[] = [];
  for (const tenant of tenants) {
    const record = await readTenant(client, tenant.id);
    found.push(...auditLog(tenant.name, byTenant.get(tenant.id) ?? [], record));
    found.push(...new LedgerAudit(tenant, record).run(sweepIntervalMs));
  }
  return found;
}
