/** One balance whose figure is not what it follows from. Amounts of its unit. */
export interface Difference {
  readonly key: string;
  /** `spent` and `reserved` by the ledger's entries; `held` by the reservations that are open. */
  readonly check: "spent" | "reserved" | "held";
  readonly expected: number;
  readonly found: number;
}

export interface Comparison {
  readonly checked: number;
  readonly differences: number;
  readonly findings: readonly Difference[];
}

export const TENANTS = "SELECT id FROM tenants WHERE id > $1 ORDER BY id LIMIT $2";

/** $1: the tenant; $2: most findings to list. The unit is the third part of a balance key. */
export const COMPARE = `
  WITH entries AS (
    SELECT k.key, sum(e.spent) AS spent, sum(e.reserved) AS reserved
    FROM ledger_entries e CROSS JOIN LATERAL unnest(e.keys) AS k(key)
    WHERE e.tenant_id = $1 GROUP BY k.key
  ), holds AS (
    SELECT k.key, sum((r.reserved ->> split_part(k.key, ':', 3))::numeric) AS held
    FROM reservations r CROSS JOIN LATERAL unnest(r.keys) AS k(key)
    WHERE r.tenant_id = $1 AND r.state = 'open' GROUP BY k.key
  ), figures AS (
    SELECT key, spent, reserved FROM balances WHERE tenant_id = $1
  ), compared AS (
    SELECT key, f.spent, f.reserved, e.spent AS entries_spent, e.reserved AS entries_reserved, h.held
    FROM figures f FULL JOIN entries e USING (key) FULL JOIN holds h USING (key)
  ), differing AS (
    SELECT c.key, v.check, coalesce(v.expected, 0) AS expected, coalesce(v.found, 0) AS found
    FROM compared c CROSS JOIN LATERAL (VALUES
      ('spent', c.entries_spent, c.spent), ('reserved', c.entries_reserved, c.reserved), ('held', c.held, c.reserved)
    ) AS v("check", expected, found)
    WHERE coalesce(v.expected, 0) <> coalesce(v.found, 0)
  )
  SELECT
    (SELECT count(*)::int FROM compared) AS checked,
    (SELECT count(*)::int FROM differing) AS differences,
    (SELECT coalesce(json_agg(d), '[]') FROM (SELECT * FROM differing ORDER BY key, "check" LIMIT $2) d) AS findings`;
