import { balanceView, limitView, serviceBookId, tenantPlace, type AllowanceSetting } from "#libs/ledger";
import { limitOfBody } from "../allowances/allowance.dto.js";
import { balancesAt } from "../balances/list.js";
import { notFound } from "../problems/problem.js";
import { Prisma, type PrismaClient } from "../record/client.js";
import { settingsOf } from "../record/entities.js";
import { recordNow } from "../record/tenants.js";
import type { OperatorServiceBody, ServiceBody } from "./service.dto.js";

export interface ServiceRow {
  readonly name: string;
  readonly settings: unknown;
  readonly version: bigint;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

type Allowances = Readonly<Record<string, AllowanceSetting>>;

/** Settings as they were given, apart: the ledger binds by the allowances, flow control by the others. */
export function partsOf({ allowances = {}, ...flow }: OperatorServiceBody): {
  flow: ServiceBody;
  allowances: Allowances;
} {
  const settings = Object.entries(allowances).map(([unit, { limit, period = "none", timeZone = "UTC" }]) => [
    unit,
    { limit: limitOfBody(limit), period, timeZone },
  ]);
  return { flow, allowances: Object.fromEntries(settings) as Allowances };
}

/** Makes a service, all of it at once; false where it is there already, and then nothing is changed. */
export async function createService(record: PrismaClient, name: string, body: OperatorServiceBody): Promise<boolean> {
  const { flow, allowances } = partsOf(body);
  const rows = Object.entries(allowances).map(([unit, setting]) => ({ unit, ...setting }));
  const made = await record.$queryRaw<object[]>(Prisma.sql`
    WITH made AS (
      INSERT INTO services (name, settings, created_at, updated_at)
      VALUES (${name}, ${JSON.stringify(flow)}::json, holdfast_now(), holdfast_now())
      ON CONFLICT (name) DO NOTHING RETURNING name
    ), bound AS (
      INSERT INTO allowances (tenant_id, kind, scope_id, unit, limit_amount, period, time_zone)
      SELECT ${serviceBookId(name)}, 'tenant', '', x.unit, x."limit", x.period, x."timeZone"
      FROM made, json_to_recordset(${JSON.stringify(rows)}::json)
        AS x(unit text, "limit" bigint, period text, "timeZone" text)
    )
    SELECT name FROM made`);
  return made.length > 0;
}

/** Throws Problem where there is none. */
export async function findService(record: PrismaClient, name: string): Promise<ServiceRow> {
  const row = await record.service.findUnique({ where: { name } });
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
  const shown = Object.entries(allowances).map(([unit, one]) => [unit, { ...one, limit: limitView(one.limit) }]);
  return {
    name,
    ...(shown.length > 0 && { allowances: Object.fromEntries(shown) as object }),
    ...(settings as ServiceBody),
    version: Number(version),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}
