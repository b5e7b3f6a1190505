import {
  balanceKey,
  balanceView,
  lookUp,
  sharePlaces,
  tenantPlace,
  userPlace,
  type Balance,
  type Place,
  type Scope,
} from "#libs/ledger";
import { isId } from "../http/params.js";
import { jobBalances } from "../jobs/detail.js";
import { afterOf, cursorOf } from "../lists/cursor.js";
import { limitOf, type Listed } from "../lists/page.js";
import { invalid, notFound } from "../problems/problem.js";
import type { PrismaClient, Reader } from "../record/client.js";
import { balanceOf, jobOf } from "../record/entities.js";
import { findOwnLimits, findTenant, recordNow } from "../record/tenants.js";
import { SERVICE_NAME, SERVICE_RULE } from "../validation/service-name.js";
import { isText, textRule } from "../validation/text.js";
import type { BalancesQuery } from "./balances.dto.js";

const USER_LENGTH = { min: 1, max: 200 };
/** A balance's key is never longer: kind, percent-encoded name, unit, window. */
const BALANCE_KEY = /^[a-z]+:[^:]+:[a-z0-9_]+:[ -~]+$/;

/** The balances of one scope of a tenant: what binds now, or every window there was. */
export async function listBalances(record: PrismaClient, tenantId: string, query: BalancesQuery): Promise<Listed> {
  const scope = scopeOf(tenantId, query.scope ?? "tenant");
  if (query.windows === "all" && scope.kind !== "job") return allWindows(record, tenantId, scope, query);
  if (query.cursor !== undefined) throw invalid([{ pointer: "/cursor", message: "is not a cursor of this list" }]);
  if (scope.kind === "job") return onePage(await ofJob(record, tenantId, scope.id));
  return onePage(await current(record, tenantId, scope));
}

function scopeOf(tenantId: string, text: string): Scope {
  if (text === "tenant") return { kind: "tenant", id: tenantId };
  const kind = text.startsWith("job:") ? "job" : text.startsWith("service:") ? "service" : "user";
  const id = text.slice(kind.length + 1);
  if (kind === "service") {
    if (!SERVICE_NAME.test(id)) throw invalid([{ pointer: "/scope", message: `as a service ${SERVICE_RULE}` }]);
    return { kind, id, tenantId };
  }
  if (kind === "job" && !isId("job", id)) throw notFound("job");
  if (kind === "user" && !isText(id, USER_LENGTH)) {
    throw invalid([{ pointer: "/scope", message: `as a user ${textRule(USER_LENGTH)}` }]);
  }
  return { kind, id };
}

function onePage(balances: readonly Balance[]): Listed {
  return { data: balances.map(balanceView), nextCursor: null };
}

async function ofJob(record: PrismaClient, tenantId: string, id: string): Promise<Balance[]> {
  const row = await record.job.findUnique({ where: { tenantId_id: { tenantId, id } } });
  if (!row) throw notFound("job");
  return jobBalances(record, tenantId, jobOf(row));
}

/** One balance for every unit that is bound there, in its current window; one that was never written stands at zero. */
async function current(record: PrismaClient, tenantId: string, scope: Scope): Promise<Balance[]> {
  const [{ settings }, own, now] = await Promise.all([
    findTenant(record, tenantId),
    scope.kind === "user" ? findOwnLimits(record, tenantId, scope.id) : {},
    recordNow(record),
  ]);
  if (scope.kind === "service") {
    const units = Object.keys(lookUp(settings.shares, scope.id) ?? {});
    return balancesAt(record, tenantId, sharePlaces(tenantId, settings, scope.id, units, now));
  }
  const places = Object.keys(settings.allowances).map((unit) =>
    scope.kind === "user"
      ? userPlace(settings, scope.id, lookUp(own, unit), unit, now)
      : tenantPlace(tenantId, settings, unit, now),
  );
  return balancesAt(record, tenantId, places);
}

export async function balancesAt(record: Reader, tenantId: string, places: readonly Place[]): Promise<Balance[]> {
  const rows = await record.balance.findMany({ where: { tenantId, key: { in: places.map(({ key }) => key) } } });
  const written = new Map(rows.map((row) => [row.key, balanceOf(row)]));
  return places.map((place) => written.get(place.key) ?? { ...place, reserved: 0, spent: 0, version: 0 });
}

/** Every balance that was ever written for the scope, by key, so that each unit's windows come in order of time. */
async function allWindows(record: PrismaClient, tenantId: string, scope: Scope, query: BalancesQuery): Promise<Listed> {
  const prefix = balanceKey(scope, "", "").slice(0, -1);
  const list = `balances ${tenantId} ${prefix}`;
  const limit = limitOf(query.limit);
  const after = afterOf(list, query.cursor, BALANCE_KEY);
  const rows = await record.balance.findMany({
    // The prefix lets an index with a plain collation be used; kind and id decide.
    where: {
      tenantId,
      key: { startsWith: escapeLike(prefix), ...(after !== undefined && { gt: after }) },
      kind: scope.kind,
      scopeId: scope.id,
    },
    orderBy: { key: "asc" },
    take: limit + 1,
  });
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1)!.key : undefined;
  return {
    data: shown.map((row) => balanceView(balanceOf(row))),
    nextCursor: last === undefined ? null : cursorOf(list, last),
  };
}

function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}
