import { serviceBookId } from "#libs/ledger";

/** One balance whose figure is not what it follows from. Amounts of its unit. */
export interface Difference {
  readonly key: string;
  /** `spent` and `reserved` by the ledger's entries; `held` by open reservations and the grants of open child jobs. */
  readonly check: "spent" | "reserved" | "held";
  readonly expected: number;
  readonly found: number;
}

export interface Comparison {
  readonly checked: number;
  readonly differences: number;
  readonly findings: readonly Difference[];
}

/** Whose figures there are: every tenant, and every service under the id of its book. */
export const BOOKS = `
  SELECT id FROM (SELECT id FROM tenants UNION ALL SELECT '${serviceBookId("")}' || name FROM services) AS book
  WHERE id > $1 ORDER BY id LIMIT $2`;

/**
 * $1: the book, of a tenant or a service; $2: most findings to list. The unit is the third part of a balance key. What an ended child job still
 * holds is held at its parent too, and so on up to the first job that is open.
 */
export const COMPARE = `
  WITH entries AS (
    SELECT k.key, sum(e.spent) AS spent, sum(e.reserved) AS reserved
    FROM ledger_entries e CROSS JOIN LATERAL unnest(e.keys) AS k(key)
    WHERE e.tenant_id = $1 GROUP BY k.key
  ), holding AS (
    SELECT k.key, (r.held ->> split_part(k.key, ':', 3))::numeric AS amount
    FROM reservations r CROSS JOIN LATERAL unnest(r.keys) AS k(key)
    WHERE r.tenant_id = $1 AND r.state = 'open'
    UNION ALL
    SELECT k.key, (r.held ->> split_part(k.key, ':', 3))::numeric
    FROM services s JOIN reservations r ON r.service = s.name AND r.state = 'open'
    CROSS JOIN LATERAL unnest(r.service_keys) AS k(key)
    WHERE s.name = substr($1, length('${serviceBookId("")}') + 1) AND starts_with($1, '${serviceBookId("")}')
    UNION ALL
    SELECT 'job:' || j.parent_id || ':' || h.unit || ':none', h.amount::numeric
    FROM reservations r CROSS JOIN LATERAL unnest(r.job_id || r.ancestors) AS o(job_id)
    JOIN jobs j ON j.tenant_id = r.tenant_id AND j.id = o.job_id AND j.state <> 'open' AND j.parent_id IS NOT NULL
    CROSS JOIN LATERAL json_each_text(r.held) AS h(unit, amount)
    WHERE r.tenant_id = $1 AND r.state = 'open' AND r.ancestors <> '{}'
    UNION ALL
    SELECT 'job:' || j.parent_id || ':' || g.unit || ':none', g.amount::numeric
    FROM jobs j CROSS JOIN LATERAL json_each_text(j.allowance) AS g(unit, amount)
    WHERE j.tenant_id = $1 AND j.parent_id IS NOT NULL AND j.state = 'open'
  ), holds AS (
    SELECT key, sum(amount) AS held FROM holding GROUP BY key
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
