import { balanceView, lookUp, userPlace } from "#libs/ledger";
import { balancesAt } from "../balances/list.js";
import { afterOf, cursorOf } from "../lists/cursor.js";
import { limitOf, type Listed, type PageQuery } from "../lists/page.js";
import { Prisma, type PrismaClient } from "../record/client.js";
import { ownLimitsOf } from "../record/entities.js";
import { findTenant, recordNow } from "../record/tenants.js";

/** A name as the list keeps it: never empty, and of a length that a cursor has room for. */
const USER = /^[^]{1,400}$/;

/**
 * The users of a tenant that ever had something reserved, or have a limit of their own: whoever has one has a balance.
 * By name, in the order of the record. Throws Problem where there is no such tenant.
 */
export async function listUsers(record: PrismaClient, tenantId: string, query: PageQuery): Promise<Listed> {
  const list = `users ${tenantId}`;
  const limit = limitOf(query.limit);
  const after = afterOf(list, query.cursor, USER) ?? "";
  const [{ settings }, names, now] = await Promise.all([
    findTenant(record, tenantId),
    namesAfter(record, tenantId, after, limit + 1),
    recordNow(record),
  ]);
  const shown = names.slice(0, limit);
  const own = await ownLimits(record, tenantId, shown);
  const units = Object.keys(settings.allowances);
  const places = shown.flatMap((user) =>
    units.map((unit) => userPlace(settings, user, lookUp(own(user), unit), unit, now)),
  );
  const balances = (await balancesAt(record, tenantId, places)).map(balanceView);
  const data = shown.map((user, i) => ({
    user,
    ownLimits: Object.keys(own(user)),
    balances: balances.slice(i * units.length, (i + 1) * units.length),
  }));
  return { data, nextCursor: names.length > limit ? cursorOf(list, shown.at(-1)!) : null };
}

/** Steps from one name to the next over an index, so that a page costs the same however many balances each user has. */
async function namesAfter(record: PrismaClient, tenantId: string, after: string, most: number): Promise<string[]> {
  const next = (than: Prisma.Sql) => Prisma.sql`
    SELECT scope_id AS name FROM balances
    WHERE tenant_id = ${tenantId} AND kind = 'user' AND scope_id > ${than} ORDER BY scope_id LIMIT 1`;
  const rows = await record.$queryRaw<{ name: string }[]>(Prisma.sql`
    WITH RECURSIVE users AS (
      SELECT head.name, 1 AS number FROM (${next(Prisma.sql`${after}`)}) AS head
      UNION ALL
      SELECT step.name, users.number + 1 FROM users, LATERAL (${next(Prisma.sql`users.name`)}) AS step
      WHERE users.number < ${most}::int
    )
    SELECT name FROM users ORDER BY number`);
  return rows.map(({ name }) => name);
}

async function ownLimits(record: PrismaClient, tenantId: string, users: readonly string[]) {
  const where = { tenantId, kind: "user", scopeId: { in: [...users] } };
  const rows = await record.allowance.findMany({ where, orderBy: { unit: "asc" } });
  return (user: string) => ownLimitsOf(rows.filter(({ scopeId }) => scopeId === user));
}
