import type { Tenant, TenantSettings, UserAllowanceSetting } from "#libs/ledger";
import { notFound } from "../problems/problem.js";
import { Prisma, type PrismaClient, type Reader } from "./client.js";
import { ownLimitsOf, settingsOf, tenantOf } from "./entities.js";

export interface TenantRead {
  readonly tenant: Tenant;
  readonly settings: TenantSettings;
}

/** A tenant with its settings, deleted ones too. Throws Problem where there is none. */
export async function findTenant(record: Reader, id: string): Promise<TenantRead> {
  const row = await record.tenant.findUnique({ where: { id } });
  const allowances = await record.allowance.findMany({
    where: { tenantId: id, OR: [{ scopeId: "" }, { kind: "service" }] },
    orderBy: { unit: "asc" },
  });
  if (!row) throw notFound("tenant");
  return { tenant: tenantOf(row), settings: settingsOf(allowances) };
}

/** Throws Problem where there is no such tenant, deleted ones count. */
export async function requireTenant(record: PrismaClient, id: string): Promise<void> {
  if ((await record.tenant.count({ where: { id } })) === 0) throw notFound("tenant");
}

/** The user's own limits by unit. */
export async function findOwnLimits(
  record: PrismaClient,
  tenantId: string,
  user: string,
): Promise<Record<string, UserAllowanceSetting>> {
  const where = { tenantId, kind: "user", scopeId: user };
  return ownLimitsOf(await record.allowance.findMany({ where, orderBy: { unit: "asc" } }));
}

/** The record's own time, milliseconds since 1970: by it windows begin and end. */
export async function recordNow(record: Reader): Promise<number> {
  const [row] = await record.$queryRaw<[{ now: Date }]>(Prisma.sql`SELECT holdfast_now() AS now`);
  return row.now.getTime();
}
