import fc from "fast-check";
import type { Ask, Period } from "#libs/ledger";

/** What the steps of the models are drawn from. */

export const small = fc.oneof(fc.constantFrom(0, 1), fc.nat(60));
export const limit = fc.oneof(
  { weight: 2, arbitrary: fc.nat(150) },
  { weight: 2, arbitrary: fc.noBias(fc.integer({ min: 40, max: 150 })) },
  { weight: 1, arbitrary: fc.constant(null) },
);
/** Names that mean something in keys, in paths and in queries. */
export const user = fc.constantFrom("ann", "ann", "bob:c", "a/b", "é %+&?#", "..", null);
export const unit = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("tokens", "calls") },
  { weight: 1, arbitrary: fc.constant("constructor") },
);
export const zoned = fc.constantFrom<[Period, string]>(
  ["none", "UTC"],
  ["hour", "Asia/Kolkata"],
  ["day", "America/St_Johns"],
  ["week", "UTC"],
);

export const amounts = fc.oneof(
  { weight: 4, arbitrary: fc.record({ tokens: small }) },
  { weight: 2, arbitrary: fc.record({ tokens: small, calls: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.tuple(unit, small).map(([name, amount]) => ({ [name]: amount })) },
);
export const ask: fc.Arbitrary<Ask> = fc.oneof(
  amounts.map((given) => ({ amounts: given })),
  fc.record({
    children: fc.integer({ min: 1, max: 4 }),
    attempts: fc.integer({ min: 1, max: 3 }),
    attemptCost: amounts,
  }),
);
