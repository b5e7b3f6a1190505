import type { Lie } from "./lie.js";
import { SERVICE_LIES } from "./lies-services.js";

const copyOf = (where: string) => `
  INSERT INTO ledger_entries (tenant_id, at, type, unit, reserved, spent, keys, reservation_id, job_id, user_name, detail)
  SELECT tenant_id, at, type, unit, reserved, spent, keys, reservation_id, job_id, user_name, detail
  FROM ledger_entries WHERE ${where}`;

/** What the auditor must see of a tenant, and of what all share. */
export const LIES: readonly Lie[] = [
  ...SERVICE_LIES,
  [
    "an acknowledged reservation that is gone",
    (ids) => `DELETE FROM reservations WHERE id = '${ids.open}'`,
    /^lost: .* reserve .* is not there/,
  ],
  [
    "one with another amount",
    (ids) => `UPDATE reservations SET reserved = '{"tokens":29}' WHERE id = '${ids.open}'`,
    /^lost: .* reserve .* is /,
  ],
  [
    "an acknowledged charge that is gone",
    (ids) => `DELETE FROM attempts WHERE reservation_id = '${ids.open}'`,
    /^lost: .* charge .* is not there/,
  ],
  [
    "one of another amount",
    (ids) => `UPDATE attempts SET actual = '{"tokens":6}' WHERE reservation_id = '${ids.open}'`,
    /^lost: .* charge .* is /,
  ],
  ["a charge that is booked twice", () => copyOf(`type = 'charge'`), /^doubled: .* attempt 1\.1 was charged/],
  [
    "a reservation that holds another amount than is left of it",
    (ids) => `UPDATE reservations SET held = '{"tokens":22}' WHERE id = '${ids.open}'`,
    /^other: .* says it holds 22, not 23/,
  ],
  ["a job that is gone", (ids) => `DELETE FROM jobs WHERE id = '${ids.job}'`, /^lost: .* createJob .* is not there/],
  [
    "a key that is gone",
    (ids) => `DELETE FROM idempotency_keys WHERE key = 't:${ids.key}'`,
    /^lost: .* its key is not there/,
  ],
  [
    "a settlement that is undone",
    (ids) => `UPDATE reservations SET state = 'open', actual = NULL WHERE id = '${ids.settled}'`,
    /^lost: .* settle/,
  ],
  [
    "a settlement with another amount",
    (ids) => `UPDATE reservations SET actual = '{"tokens":61}' WHERE id = '${ids.settled}'`,
    /^lost: .* settle/,
  ],
  [
    "a release that is undone",
    (ids) => `UPDATE reservations SET state = 'open' WHERE id = '${ids.released}'`,
    /^lost: .* release/,
  ],
  [
    "an extension that is undone",
    (ids) => `UPDATE reservations SET expires_at = expires_at - interval '50 seconds' WHERE id = '${ids.open}'`,
    /^lost: .* extend/,
  ],
  [
    "a limit that was never set",
    () => `DELETE FROM ledger_entries WHERE detail ->> 'to' IN ('777', '782')`,
    /^lost: .* setLimit/,
  ],
  [
    "an adjustment that is gone",
    (ids) => `DELETE FROM ledger_entries WHERE detail ->> 'reason' = '${ids.adjustKey}'`,
    /^lost: .* adjust/,
  ],
  [
    "an adjustment by another amount",
    () => `UPDATE ledger_entries SET detail = (detail::jsonb || '{"to":781}')::json WHERE detail ->> 'to' = '782'`,
    /^lost: .* adjust/,
  ],
  [
    "a tenant that stayed suspended",
    (ids) => `UPDATE tenants SET state = 'suspended' WHERE id = '${ids.tenant}'`,
    /^lost: .* suspended/,
  ],
  [
    "a settlement that was booked twice",
    (ids) => copyOf(`reservation_id = '${ids.settled}' AND type = 'settle'`),
    /^doubled: .* spent/,
  ],
  ["a reservation that was taken twice", (ids) => copyOf(`reservation_id = '${ids.open}'`), /^doubled: .* taken/],
  [
    "a reservation that was returned twice",
    (ids) => copyOf(`reservation_id = '${ids.released}' AND type = 'release'`),
    /^doubled: .* returned/,
  ],
  [
    "an adjustment that was made twice",
    (ids) => copyOf(`detail ->> 'reason' = '${ids.adjustKey}'`),
    /^doubled: .* adjust/,
  ],
  [
    "a second reservation under one key",
    (
      ids,
    ) => `INSERT INTO reservations (tenant_id, id, job_id, state, reserved, held, charged, keys, created_at, expires_at)
      SELECT tenant_id, id || 'x', job_id, 'released', reserved, held, charged, keys, created_at, expires_at FROM reservations WHERE id = '${ids.open}'`,
    /^doubled: .*x is the effect of no key/,
  ],
  [
    "another answer under the same key",
    (ids) =>
      `UPDATE idempotency_keys SET answer = replace(answer, '${ids.open}', '${ids.released}') WHERE key = 't:${ids.key}'`,
    /^doubled: .* answers/,
  ],
  [
    "an admission above the limit",
    (ids) => `UPDATE ledger_entries SET reserved = 941 WHERE reservation_id = '${ids.open}'`,
    /^overspent: .* at tenant:/,
  ],
  [
    "an admission above a limit lowered before",
    (ids) =>
      `UPDATE ledger_entries SET detail = (detail::jsonb || '{"to":50}')::json WHERE detail ->> 'to' = '782'; ${copyOf(`reservation_id = '${ids.open}'`)}`,
    /^overspent: .* at tenant:/,
  ],
  [
    "an admission above a user's limit",
    (ids) => `UPDATE ledger_entries SET reserved = 441 WHERE reservation_id = '${ids.open}'`,
    /^overspent: .* at user:ann/,
  ],
  [
    "an admission above a job's limit",
    (ids) => `UPDATE ledger_entries SET reserved = 241 WHERE reservation_id = '${ids.open}'`,
    /^overspent: .* at job:/,
  ],
  [
    "an admission above a user's limit that was booked elsewhere only",
    (
      ids,
    ) => `UPDATE ledger_entries SET reserved = 441, keys = ARRAY(SELECT key FROM unnest(keys) AS key WHERE key NOT LIKE 'user:%')
      WHERE reservation_id = '${ids.open}'`,
    /^overspent: .* at user:ann/,
  ],
  [
    "a scope that was left out",
    (ids) => `UPDATE reservations SET keys = keys[2:] WHERE id = '${ids.open}'`,
    /^other: .* counts at .* and not at/,
  ],
  [
    "a job of another user than was asked",
    (ids) => `UPDATE jobs SET user_name = NULL WHERE id = '${ids.job}'`,
    /^lost: .* createJob/,
  ],
  [
    "a limit that was set for somebody else",
    () =>
      `UPDATE ledger_entries SET detail = jsonb_set(detail::jsonb, '{scope,id}', '"bob"')::json WHERE detail ->> 'to' IN ('777', '782')`,
    /^lost: .* setLimit/,
  ],
  [
    "an amount that nothing accounts for",
    () => `UPDATE balances SET spent = spent + 1 WHERE kind = 'tenant'`,
    /^other: .* does not follow/,
  ],
  [
    "a hold that nobody has",
    () => `UPDATE balances SET reserved = reserved + 1 WHERE kind = 'user'`,
    /^other: .* does not follow/,
  ],
  [
    "a limit that is not the one set",
    () => `UPDATE balances SET limit_amount = 783 WHERE kind = 'tenant'`,
    /^other: .* does not follow/,
  ],
  [
    "a reservation that is open past its deadline",
    (ids) => `UPDATE reservations SET expires_at = holdfast_now() - interval '6 seconds' WHERE id = '${ids.open}'`,
    /^other: .* past its deadline/,
  ],
  [
    "a refusal that had an effect",
    (ids) =>
      `INSERT INTO idempotency_keys SELECT tenant_id, 't:${ids.refusedKey}', fingerprint, answer, created_at FROM idempotency_keys WHERE key = 't:${ids.key}'`,
    /^other: .* was refused and had an effect/,
  ],
];
