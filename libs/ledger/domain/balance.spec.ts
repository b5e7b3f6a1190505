import fc from "fast-check";
import { MAX_AMOUNT } from "./amounts.js";
import {
  available,
  balanceKey,
  fits,
  overage,
  parseBalanceKey,
  unitOfKey,
  type Figures,
  type Scope,
} from "./balance.js";

const figures = (limit: number | null, reserved = 0, spent = 0): Figures => ({ limit, reserved, spent });

const unit = fc.stringMatching(/^[a-z][a-z0-9_]{0,31}$/);
const window = fc.constantFrom("none", "day@2026-05-12T00:00:00.000Z", "hour@2026-05-12T12:30:00.000Z");
/** Names that try to look like the rest of a key. */
const name = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1 }),
  fc
    .array(fc.constantFrom(":", "%", "%3A", "tokens", "none", "a", "/", "{", "}", "é", "💰", " "), { minLength: 1 })
    .map((parts) => parts.join("")),
);
const scope: fc.Arbitrary<Scope> = fc.record({ kind: fc.constantFrom("service", "tenant", "user", "job"), id: name });
const place = fc.record({ scope, unit, window });

describe("the key of a balance", () => {
  it("is kind, encoded id, unit and window", () => {
    expect(balanceKey({ kind: "user", id: "a:b c" }, "tokens", "day@2026-05-12T00:00:00.000Z")).toBe(
      "user:a%3Ab%20c:tokens:day@2026-05-12T00:00:00.000Z",
    );
  });

  it("tells a:b + c from a + b:c", () => {
    const first = balanceKey({ kind: "user", id: "a:tokens" }, "none", "none");
    expect(balanceKey({ kind: "user", id: "a" }, "tokens", "none:none")).not.toBe(first);
    expect(balanceKey({ kind: "user", id: "a%3Atokens" }, "none", "none")).not.toBe(first);
  });

  it("leads back to all that it was made of, so two balances never meet on one key", () => {
    fc.assert(
      fc.property(place, (one) => {
        const key = balanceKey(one.scope, one.unit, one.window);
        expect(parseBalanceKey(key)).toEqual(one);
        expect(unitOfKey(key)).toBe(one.unit);
      }),
      { numRuns: 2_000 },
    );
  });

  it("is printable without spaces or braces, so that it cannot close a cluster's {tag}", () => {
    fc.assert(fc.property(place, (one) => /^[!-z|~]+$/.test(balanceKey(one.scope, one.unit, one.window))));
  });

  it.each(["", "tenant", "tenant:a", "tenant:a:tokens"])("is not %p", (text) => {
    expect(() => parseBalanceKey(text)).toThrow("not a balance key");
  });
});

describe("figures", () => {
  it("show what is left or what is over, never a negative figure", () => {
    expect([available(figures(500, 120, 60)), overage(figures(500, 120, 60))]).toEqual([320, 0]);
    expect([available(figures(100, 0, 180)), overage(figures(100, 0, 180))]).toEqual([0, 80]);
    expect([available(figures(500, 400, 300)), overage(figures(500, 400, 300))]).toEqual([0, 200]);
    expect([available(figures(0)), overage(figures(0))]).toEqual([0, 0]);
  });

  it("without a limit end where integers do and have no overage", () => {
    expect(available(figures(null, 1, 2))).toBe(MAX_AMOUNT - 3);
    expect(overage(figures(null, 1, MAX_AMOUNT - 1))).toBe(0);
  });

  it("have an overage that is exact, or the largest amount", () => {
    expect(overage(figures(1_000, MAX_AMOUNT, 1))).toBe(MAX_AMOUNT - 999);
    expect(overage(figures(MAX_AMOUNT, MAX_AMOUNT, MAX_AMOUNT))).toBe(MAX_AMOUNT);
    expect(overage(figures(0, MAX_AMOUNT, MAX_AMOUNT))).toBe(MAX_AMOUNT);
    const amount = fc.maxSafeNat();
    fc.assert(
      fc.property(amount, amount, amount, (limit, reserved, spent) => {
        const exact = BigInt(reserved) + BigInt(spent) - BigInt(limit);
        const shown = exact < 0n ? 0n : exact > BigInt(MAX_AMOUNT) ? BigInt(MAX_AMOUNT) : exact;
        expect(BigInt(overage(figures(limit, reserved, spent)))).toBe(shown);
      }),
      { numRuns: 1_000 },
    );
  });

  const edges = [0, 1, 999, 1_000, 1_001, 99_999_999_999_999, 10 ** 14, MAX_AMOUNT - 1, MAX_AMOUNT];

  it("fit exactly up to the limit, at every size of number", () => {
    for (const limit of edges) {
      expect(fits(figures(limit), limit)).toBe(true);
      if (limit < MAX_AMOUNT) expect(fits(figures(limit), limit + 1)).toBe(false);
      if (limit > 0) expect(fits(figures(limit, limit - 1), 1)).toBe(true);
      expect(fits(figures(limit, limit), 1)).toBe(false);
      expect(fits(figures(limit, 0, limit), 1)).toBe(false);
      expect(fits(figures(limit, limit), 0)).toBe(true);
    }
  });

  it("decide as whole numbers do, also where a sum would pass 2^53 − 1", () => {
    const amount = fc.oneof(fc.constantFrom(...edges), fc.maxSafeNat());
    fc.assert(
      fc.property(fc.option(amount), amount, amount, amount, (limit, reserved, spent, asked) => {
        const sum = BigInt(reserved) + BigInt(spent) + BigInt(asked);
        expect(fits(figures(limit, reserved, spent), asked)).toBe(sum <= BigInt(limit ?? MAX_AMOUNT));
      }),
      { numRuns: 2_000 },
    );
  });
});
