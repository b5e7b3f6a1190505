import type { Balance } from "../domain/index.js";
import type { Copy, CopyStore, RecordStore } from "./ports.js";
import type { Runtime } from "./runtime.js";

const PAGE = 500;

export interface CopyAudit {
  /** Balances whose copies were looked at. */
  readonly checked: number;
  readonly repaired: readonly { readonly key: string; readonly expected: Copy; readonly found: Copy }[];
}

/**
 * Holds a tenant's copies against its balances. Wrong is a copy with other figures than the record had at its version,
 * or of a version that the record never had; it is replaced. An older copy is not wrong: it is only brought up to date.
 */
export async function auditCopies(
  record: RecordStore,
  copies: CopyStore,
  tenantId: string,
  runtime: Runtime,
): Promise<CopyAudit> {
  let checked = 0;
  const repaired: CopyAudit["repaired"][number][] = [];
  for (let page = await record.pageBalances(tenantId, "", PAGE); page.length > 0;) {
    checked += page.length;
    repaired.push(...(await auditPage(record, copies, tenantId, page, runtime)));
    page = page.length < PAGE ? [] : await record.pageBalances(tenantId, page.at(-1)!.key, PAGE);
  }
  return { checked, repaired };
}

async function auditPage(
  record: RecordStore,
  copies: CopyStore,
  tenantId: string,
  page: readonly Balance[],
  runtime: Runtime,
): Promise<CopyAudit["repaired"][number][]> {
  const found = await copies.read(
    tenantId,
    page.map(({ key }) => key),
  );
  const differing = page.flatMap((row, i) =>
    found[i] && !same(row, found[i]) ? [{ key: row.key, copy: found[i] }] : [],
  );
  if (differing.length === 0) return [];
  // Read again behind the copies: what a commit changed meanwhile is newer than its copy, never the other way round.
  const readAt = runtime.now();
  const rows = await record.findBalances(differing.map(({ key }) => ({ tenantId, id: key })));
  const repairs = differing.flatMap(({ key, copy }, i) => {
    const row = rows[i];
    return row && copy.version >= row.version && !same(row, copy)
      ? [{ key, expected: figuresOf(row), found: copy }]
      : [];
  });
  await copies.forget(
    tenantId,
    repairs.map(({ key }) => key),
  );
  await copies.remember(
    tenantId,
    rows.filter((row) => row !== null),
    runtime.now() - readAt,
  );
  return repairs;
}

function same(a: Copy, b: Copy): boolean {
  return a.version === b.version && a.limit === b.limit && a.reserved === b.reserved && a.spent === b.spent;
}

function figuresOf({ version, limit, reserved, spent }: Balance): Copy {
  return { version, limit, reserved, spent };
}
