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
import { Prisma, type PrismaClient, type Reader } from "../record/client.js";
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

interface Settings {
  readonly flow: ServiceBody;
  readonly allowances: Allowances;
}

/** Settings as they were given, apart: the ledger binds by the allowances, flow control by the others. */
export function partsOf({ allowances = {}, reason: _, ...flow }: BoundServiceBody): Settings {
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

/** Reads the settings of services in one moment: they stand in several tables, and a change writes all of them. */
export function inOneMoment<T>(record: PrismaClient, read: (record: Reader) => Promise<T>): Promise<T> {
  return record.$transaction(read, { isolationLevel: Prisma.TransactionIsolationLevel.RepeatableRead });
}

/** Throws Problem where there is none. */
export async function findService(record: Reader, name: string): Promise<ServiceRow> {
  const row = await record.service.findUnique({ where: { name, ...MADE } });
  if (!row) throw notFound("service");
  return row;
}

/** Each with its allowances. */
export async function serviceViews(record: Reader, rows: readonly ServiceRow[]): Promise<object[]> {
  const found = await allowancesOf(
    record,
    rows.map(({ name }) => name),
  );
  return rows.map((row) => serviceView(row, found(row.name).allowances));
}

/** A service as it was just set, with what the ledger answered. */
export function serviceAsSet(name: string, { allowances, flow }: Settings, answered: object): object {
  return { name, ...allowancesView(allowances), ...flow, ...answered };
}

/** What was taken of a service's allowances, each in its current window. */
export async function serviceBalances(record: Reader, name: string): Promise<object[]> {
  const found = await allowancesOf(record, [name]);
  const now = await recordNow(record);
  const [bookId, settings] = [serviceBookId(name), found(name)];
  const places = Object.keys(settings.allowances).map((unit) => tenantPlace(bookId, settings, unit, now));
  return (await balancesAt(record, bookId, places)).map(balanceView);
}

async function allowancesOf(record: Reader, names: readonly string[]) {
  const where = { tenantId: { in: names.map(serviceBookId) }, scopeId: "" };
  const rows = await record.allowance.findMany({ where, orderBy: { unit: "asc" } });
  return (name: string) => settingsOf(rows.filter(({ tenantId }) => tenantId === serviceBookId(name)));
}

function serviceView(row: ServiceRow, allowances: Allowances): object {
  const { name, settings, version, createdAt, updatedAt } = row;
  const times = { createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
  return serviceAsSet(name, { allowances, flow: settings as ServiceBody }, { version: Number(version), ...times });
}

function allowancesView(allowances: Allowances): object {
  const shown = Object.entries(allowances).map(([unit, one]) => [unit, { ...one, limit: limitView(one.limit) }]);
  return shown.length > 0 ? { allowances: Object.fromEntries(shown) as object } : {};
}

type OwnRow = Readonly<Record<"tenantId" | "name", string>> & { readonly settings: unknown; readonly updatedAt: Date };

/** What is set for tenants at services, each with its share. */
export async function tenantServiceViews(record: Reader, rows: readonly OwnRow[]): Promise<object[]> {
  const places = rows.map(({ tenantId, name }) => ({ tenantId, scopeId: name }));
  const found = await record.allowance.findMany({ where: { kind: "service", OR: places }, orderBy: { unit: "asc" } });
  return rows.map((row) => {
    const own = found.filter(({ tenantId, scopeId }) => tenantId === row.tenantId && scopeId === row.name);
    return tenantServiceView(row, lookUp(settingsOf(own).shares, row.name) ?? {});
  });
}

function tenantServiceView({ name, settings, updatedAt }: OwnRow, share: Allowances): object {
  const answered = { updatedAt: updatedAt.toISOString() };
  return serviceAsSet(name, { allowances: share, flow: settings as ServiceBody }, answered);
}

/** What is set for one tenant at a service, and what was taken of its share, each in its current window. */
export async function tenantServiceOf(
  record: Reader,
  tenantId: string,
  name: string,
): Promise<{ flow: ServiceBody; view: object; balances: object[] }> {
  const row = await record.tenantService.findUnique({ where: { tenantId_name: { tenantId, name } } });
  const { settings } = await findTenant(record, tenantId);
  const now = await recordNow(record);
  if (!row) throw notFound("setting");
  const share = lookUp(settings.shares, name) ?? {};
  const places = sharePlaces(tenantId, settings, name, Object.keys(share), now);
  const [flow, view] = [row.settings as ServiceBody, tenantServiceView(row, share)];
  return { flow, view, balances: (await balancesAt(record, tenantId, places)).map(balanceView) };
}
