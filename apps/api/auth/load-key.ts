import { Prisma, type PrismaClient } from "../record/client.js";
import type { KeyRow, LoadKey } from "./key-cache.js";

/** Reads a key together with the state of its tenant. */
export function keyLoader(record: PrismaClient): LoadKey {
  return async (tenantId, keyId) => {
    const [row] = await record.$queryRaw<KeyRow[]>(Prisma.sql`
      SELECT k.hash, k.revoked_at IS NOT NULL AS revoked, t.state = 'deleted' AS "tenantDeleted"
      FROM api_keys k JOIN tenants t ON t.id = k.tenant_id WHERE k.tenant_id = ${tenantId} AND k.id = ${keyId}`);
    return row ?? null;
  };
}
