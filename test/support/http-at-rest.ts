import type { BalanceView, HttpTenant } from "./http.js";
import { eventually, HOLDING } from "./record.js";

/** So many scopes of a kind are read over REST; the sums of all of them are compared in the record. */
const MOST_SCOPES = 10;

interface Row {
  readonly key: string;
  readonly limit: number | null;
  readonly reserved: number;
  readonly spent: number;
  readonly version: number;
}

interface Entry {
  readonly unit: string;
  readonly reserved: number;
  readonly spent: number;
  readonly scopes: readonly { readonly kind: string; readonly id: string; readonly window: string }[];
}

/**
 * What holds once things are quiet: no figure is negative, nothing is held but by open reservations and grants, what is spent is
 * the sum of the ledger, and the record, REST and the copies in Redis say the same; and no answer was a server error.
 */
export async function expectAtRest(tenant: HttpTenant): Promise<void> {
  expect(tenant.holdfast.serverErrors).toEqual([]);
  const rows = await rowsOf(tenant);
  const held = await heldIn(tenant);
  const moved = await movedIn(tenant);
  for (const { key, reserved, spent } of rows) {
    expect({ key, reserved, spent }).toEqual({ key, reserved: held.get(key) ?? 0, spent: moved.get(key)?.spent ?? 0 });
    expect(moved.get(key)?.reserved ?? 0).toBe(reserved);
    expect(Math.min(reserved, spent)).toBeGreaterThanOrEqual(0);
  }
  await expectShown(tenant, rows);
  await eventually(() => copiesAgree(tenant, rows), 2_000);
}

async function rowsOf({ id, holdfast }: HttpTenant): Promise<Row[]> {
  const { rows } = await holdfast.record.query<Row>(
    `SELECT key, limit_amount::float8 AS limit, reserved::float8, spent::float8, version::float8
     FROM balances WHERE tenant_id = $1 ORDER BY key`,
    [id],
  );
  return rows;
}

async function heldIn({ id, holdfast }: HttpTenant): Promise<Map<string, number>> {
  const { rows } = await holdfast.record.query<{ key: string; reserved: number }>(
    `SELECT key, sum(amount)::float8 AS reserved FROM (${HOLDING}) AS holding WHERE tenant_id = $1 GROUP BY 1`,
    [id],
  );
  return new Map(rows.map(({ key, reserved }) => [key, reserved]));
}

/** The sums of the ledger as REST shows it, by the keys of balances. */
async function movedIn(tenant: HttpTenant): Promise<Map<string, { reserved: number; spent: number }>> {
  const sums = new Map<string, { reserved: number; spent: number }>();
  for (let cursor: string | null = ""; cursor !== null;) {
    const { body } = await tenant.call("GET", `/v1/ledger?limit=500${cursor && `&cursor=${cursor}`}`);
    for (const { unit, scopes, reserved, spent } of body["data"] as Entry[]) {
      for (const scope of scopes) {
        const key = keyOf({ scope, unit, window: scope.window });
        const sum = sums.get(key) ?? { reserved: 0, spent: 0 };
        sums.set(key, { reserved: sum.reserved + reserved, spent: sum.spent + spent });
      }
    }
    cursor = body["nextCursor"] as string | null;
  }
  return sums;
}

async function expectShown(tenant: HttpTenant, rows: readonly Row[]): Promise<void> {
  const scopes = new Map(rows.map(({ key }) => [key.split(":").slice(0, 2).join(":"), key.split(":")]));
  const counts: Record<string, number> = {};
  for (const [kind = "", id = ""] of scopes.values()) {
    counts[kind] = (counts[kind] ?? 0) + 1;
    if (counts[kind] > MOST_SCOPES) continue;
    const shown = await tenant.balances(kind === "tenant" ? kind : `${kind}:${decodeURIComponent(id)}`, "all");
    for (const row of rows.filter(({ key }) => key.startsWith(`${kind}:${id}:`))) expectSame(row, shown);
  }
}

function expectSame({ key, limit, reserved, spent }: Row, shown: readonly BalanceView[]): void {
  const room = (limit ?? Infinity) - reserved - spent;
  const figures = { key, limit: limit ?? "unlimited", reserved, spent, overage: Math.max(0, -room) };
  const found = shown.find((view) => keyOf(view) === key);
  expect({ ...found, key: found && keyOf(found) }).toMatchObject(figures);
  if (limit !== null) expect(found?.available).toBe(Math.max(0, room));
}

/** Copies are stored as they are needed; one that is there says what the record says. */
async function copiesAgree({ id, holdfast }: HttpTenant, rows: readonly Row[]): Promise<boolean> {
  if (rows.length === 0) return true;
  const copies = await holdfast.redis.mget(rows.map(({ key }) => `holdfast:{${id}}:copy:${key}`));
  const wrong = rows.flatMap(({ key, version, limit, reserved, spent }, i) => {
    const said = copies[i]?.split(":").slice(0, 4).join(":");
    const expected = `${version}:${limit ?? ""}:${reserved}:${spent}`;
    return said === undefined || said === expected ? [] : [{ key, said, expected }];
  });
  if (wrong.length > 0) throw new Error(`copies differ: ${JSON.stringify(wrong)}`);
  return true;
}

function keyOf({ scope, unit, window }: Pick<BalanceView, "scope" | "unit" | "window">): string {
  return `${scope.kind}:${encodeURIComponent(scope.id)}:${unit}:${window}`;
}
