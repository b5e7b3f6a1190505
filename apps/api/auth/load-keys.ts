import { Prisma, type PrismaClient } from "../record/client.js";
import type { KeyClaim, KeyRow, LoadKeys } from "./key-cache.js";

/** Reads keys together with the state of their tenants. */
export function keyLoader(record: PrismaClient): LoadKeys {
  return async (claims) => {
    const tenantIds = claims.map(({ tenantId }) => tenantId);
    const keyIds = claims.map(({ keyId }) => keyId);
    const rows = await record.$queryRaw<(KeyRow & KeyClaim)[]>(Prisma.sql`
      SELECT k.tenant_id AS "tenantId", k.id AS "keyId", k.hash, k.revoked_at IS NOT NULL AS revoked,
        t.state = 'deleted' AS "tenantDeleted"
      FROM unnest(${tenantIds}::text[], ${keyIds}::text[]) AS claimed(tenant_id, id)
      JOIN api_keys k USING (tenant_id, id) JOIN tenants t ON t.id = k.tenant_id`);
    const byKey = new Map(rows.map((row) => [row.tenantId + row.keyId, row]));
    return claims.map(({ tenantId, keyId }) => byKey.get(tenantId + keyId) ?? null);
  };
}
