import { lookUp, newId, tenantView } from "#libs/ledger";
import { limitOfBody } from "../allowances/allowance.dto.js";
import { Problem } from "../problems/problem.js";
import { Prisma, type PrismaClient } from "../record/client.js";
import { findTenant } from "../record/tenants.js";
import type { CreateTenantBody } from "./tenant.dto.js";

/** Makes a tenant with what is set for it, in one transaction. Throws Problem for a default in a unit without allowance. */
export async function createTenant(record: PrismaClient, body: CreateTenantBody): Promise<object> {
  const { name, enforcement = "enforce", allowances, jobAllowance = {}, userAllowance = {} } = body;
  const defaults = { job: jobAllowance, user: userAllowance };
  for (const unit of [...Object.keys(jobAllowance), ...Object.keys(userAllowance)]) {
    if (!lookUp(allowances, unit))
      throw new Problem("unit_unknown", `The tenant has no allowance in the unit "${unit}".`);
  }
  const tenantId = newId("ten");
  await record.$transaction([
    record.$executeRaw(Prisma.sql`
      INSERT INTO tenants (id, name, enforcement, state, created_at)
      VALUES (${tenantId}, ${name}, ${enforcement}, 'active', holdfast_now())`),
    record.allowance.createMany({
      data: [
        ...Object.entries(allowances).map(([unit, { limit, period = "none", timeZone = "UTC" }]) => ({
          ...{ tenantId, kind: "tenant", scopeId: "", unit, limitAmount: limitOfBody(limit), period, timeZone },
        })),
        ...Object.entries(defaults).flatMap(([kind, limits]) =>
          Object.entries(limits).map(([unit, limitAmount]) => ({ tenantId, kind, scopeId: "", unit, limitAmount })),
        ),
      ],
    }),
  ]);
  const { tenant, settings } = await findTenant(record, tenantId);
  return tenantView(tenant, settings);
}
