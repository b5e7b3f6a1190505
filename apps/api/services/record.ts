import {
  balanceView,
  limitView,
  lookUp,
  serviceBookId,
  sharePlaces,
  tenantPlace,
  type AllowanceSetting,
} from "#libs/ledger";
import { limitOfBody } from "../allowances/allowance.dto.js";
import { balancesAt } from "../balances/list.js";
import { notFound } from "../problems/problem.js";
import { Prisma, type PrismaClient } from "../record/client.js";
import { settingsOf } from "../record/entities.js";
import { findTenant, recordNow } from "../record/tenants.js";
import type { BoundServiceBody, ServiceBody } from "./service.dto.js";

export interface ServiceRow {
  readonly name: string;
  readonly settings: unknown;
  readonly version: bigint;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

type Allowances = Readonly<Record<string, AllowanceSetting>>;

/** Settings as they were given, apart: the ledger binds by the allowances, flow control by the others. */
export function partsOf({ allowances = {}, reason: _, ...flow }: BoundServiceBody): {
  flow: ServiceBody;
  allowances: Allowances;
} {
  const settings = Object.entries(allowances).map(([unit, { limit, period = "none", timeZone = "UTC" }]) => [
    unit,
    { limit: limitOfBody(limit), period, timeZone },
  ]);
  return { flow, allowances: Object.fromEntries(settings) as Allowances };
}

/** Names a service, so that there is what is locked when something is set for it; until then nobody sees it. */
export async function nameService(record: PrismaClient, name: string): Promise<void> {
  await record.$executeRaw(Prisma.sql`
    INSERT INTO services (name, settings, version, created_at, updated_at)
    VALUES (${name}, '{}', 0, holdfast_now(), holdfast_now()) ON CONFLICT (name) DO NOTHING`);
}

/** Services for which something was set. */
export const MADE = { version: { gt: 0 } };

/** Throws Problem where there is none. */
export async function findService(record: PrismaClient, name: string): Promise<ServiceRow> {
  const row = await record.service.findUnique({ where: { name, ...MADE } });
  if (!row) throw notFound("service");
  return row;
}

/** Each with its allowances. */
export async function serviceViews(record: PrismaClient, rows: readonly ServiceRow[]): Promise<object[]> {
  const found = await allowancesOf(
    record,
    rows.map(({ name }) => name),
  );
  return rows.map((row) => serviceView(row, found(row.name)));
}

/** What was taken of a service's allowances, each in its current window. */
export async function serviceBalances(record: PrismaClient, name: string): Promise<object[]> {
  const [found, now] = await Promise.all([allowancesOf(record, [name]), recordNow(record)]);
  const [bookId, settings] = [serviceBookId(name), found(name)];
  const places = Object.keys(settings.allowances).map((unit) => tenantPlace(bookId, settings, unit, now));
  return (await balancesAt(record, bookId, places)).map(balanceView);
}

async function allowancesOf(record: PrismaClient, names: readonly string[]) {
  const where = { tenantId: { in: names.map(serviceBookId) }, scopeId: "" };
  const rows = await record.allowance.findMany({ where, orderBy: { unit: "asc" } });
  return (name: string) => settingsOf(rows.filter(({ tenantId }) => tenantId === serviceBookId(name)));
}

function serviceView(row: ServiceRow, { allowances }: ReturnType<typeof settingsOf>): object {
  const { name, settings, version, createdAt, updatedAt } = row;
  return {
    name,
    ...allowancesView(allowances),
    ...(settings as ServiceBody),
    version: Number(version),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

function allowancesView(allowances: Allowances): object {
  const shown = Object.entries(allowances).map(([unit, one]) => [unit, { ...one, limit: limitView(one.limit) }]);
  return shown.length > 0 ? { allowances: Object.fromEntries(shown) as object } : {};
}

type OwnRow = Readonly<Record<"tenantId" | "name", string>> & { readonly settings: unknown; readonly updatedAt: Date };

/** What is set for tenants at services, each with its share. */
export async function tenantServiceViews(record: PrismaClient, rows: readonly OwnRow[]): Promise<object[]> {
  const places = rows.map(({ tenantId, name }) => ({ tenantId, scopeId: name }));
  const found = await record.allowance.findMany({ where: { kind: "service", OR: places }, orderBy: { unit: "asc" } });
  return rows.map((row) => {
    const own = found.filter(({ tenantId, scopeId }) => tenantId === row.tenantId && scopeId === row.name);
    return tenantServiceView(row, lookUp(settingsOf(own).shares, row.name) ?? {});
  });
}

function tenantServiceView({ name, settings, updatedAt }: OwnRow, share: Allowances): object {
  return { name, ...allowancesView(share), ...(settings as ServiceBody), updatedAt: updatedAt.toISOString() };
}

/** What is set for one tenant at a service, and what was taken of its share, each in its current window. */
export async function tenantServiceOf(
  record: PrismaClient,
  tenantId: string,
  name: string,
): Promise<{ flow: ServiceBody; view: object; balances: object[] }> {
  const [row, { settings }, now] = await Promise.all([
    record.tenantService.findUnique({ where: { tenantId_name: { tenantId, name } } }),
    findTenant(record, tenantId),
    recordNow(record),
  ]);
  if (!row) throw notFound("setting");
  const share = lookUp(settings.shares, name) ?? {};
  const places = sharePlaces(tenantId, settings, name, Object.keys(share), now);
  const [flow, view] = [row.settings as ServiceBody, tenantServiceView(row, share)];
  return { flow, view, balances: (await balancesAt(record, tenantId, places)).map(balanceView) };
}
