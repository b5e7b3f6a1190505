import type { Lie } from "./lie.js";

const BOOK = "tenant_id = 'service:shared'";

/** Lies about what all tenants share. */
export const SERVICE_LIES: readonly Lie[] = [
  [
    "a reservation that counts at another service than was acknowledged",
    (ids) => `UPDATE reservations SET service = NULL WHERE id = '${ids.shared}'`,
    /^lost: .* reserve .* is /,
  ],
  [
    "work that did not move its service",
    (ids) => `DELETE FROM ledger_entries WHERE ${BOOK} AND reservation_id = '${ids.shared}'`,
    /^lost: service shared: did not move: .* reserve/,
  ],
  [
    "work that moved its service by another amount",
    (ids) => `UPDATE ledger_entries SET reserved = 19 WHERE ${BOOK} AND reservation_id = '${ids.shared}'`,
    /^doubled: service shared: moved without its tenant/,
  ],
  [
    "an admission above a service's limit",
    () => `UPDATE ledger_entries SET detail = (detail::jsonb || '{"to":19}')::json WHERE ${BOOK} AND type = 'limit'`,
    /^overspent: service shared/,
  ],
  [
    "a service's limit that was never set",
    () => `DELETE FROM ledger_entries WHERE ${BOOK} AND type = 'limit'`,
    /^lost: service shared: setServiceLimit/,
  ],
  [
    "an amount at a service that nothing accounts for",
    () => `UPDATE balances SET reserved = reserved + 1 WHERE ${BOOK}`,
    /^other: service shared: its balance/,
  ],
  [
    "a service that was left out of what holds a reservation",
    (ids) => `UPDATE reservations SET service_keys = '{}' WHERE id = '${ids.shared}'`,
    /^other: service shared: reservation .* is held at ""/,
  ],
];
