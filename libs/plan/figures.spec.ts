import fc from "fast-check";
import { MAX_AMOUNT } from "./amounts.js";
import { available, fits, overage, type Figures } from "./figures.js";

const figures = (limit: number | null, reserved = 0, spent = 0): Figures => ({ limit, reserved, spent });

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
