import { tenantView } from "#libs/ledger";
import { listed, pageOf, type Listed } from "../lists/page.js";
import type { PrismaClient } from "../record/client.js";
import { settingsOf, tenantOf } from "../record/entities.js";
import type { TenantsQuery } from "./tenant.dto.js";

/** Tenants, newest first; deleted ones only where they are asked for. */
export async function listTenants(record: PrismaClient, query: TenantsQuery): Promise<Listed> {
  const page = pageOf("tenants", query);
  const rows = await record.tenant.findMany({
    where: {
      seq: page.after === undefined ? {} : { lt: page.after },
      state: query.state ?? { not: "deleted" },
    },
    orderBy: { seq: "desc" },
    take: page.limit + 1,
  });
  const ids = rows.map(({ id }) => id);
  const set = await record.allowance.findMany({
    where: { tenantId: { in: ids }, scopeId: "" },
    orderBy: { unit: "asc" },
  });
  const settings = (id: string) => settingsOf(set.filter(({ tenantId }) => tenantId === id));
  return listed(page, rows, (row) => tenantView(tenantOf(row), settings(row.id)));
}
