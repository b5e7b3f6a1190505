import fc from "fast-check";
import { lookUp, MAX_AMOUNT, multiply, scale } from "./amounts.js";

describe("a product", () => {
  it("is exact or refused, never rounded", () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.oneof(fc.nat(1_000), fc.maxSafeNat()), (a, b) => {
        const exact = BigInt(a) * BigInt(b);
        const product = multiply(a, b);
        expect(product === undefined ? undefined : BigInt(product)).toBe(
          exact <= BigInt(MAX_AMOUNT) ? exact : undefined,
        );
      }),
      { numRuns: 2_000 },
    );
  });

  it("holds the largest amount and refuses one more", () => {
    expect(multiply(MAX_AMOUNT, 1)).toBe(MAX_AMOUNT);
    expect(multiply(2 ** 52, 2)).toBeUndefined();
    expect(multiply(MAX_AMOUNT, MAX_AMOUNT)).toBeUndefined();
    expect(multiply(MAX_AMOUNT, 0)).toBe(0);
  });
});

describe("amounts", () => {
  it("scale in every unit, or not at all", () => {
    expect(scale({ tokens: 20, usd_micros: 3 }, 6)).toEqual({ tokens: 120, usd_micros: 18 });
    expect(scale({ tokens: 1, usd_micros: MAX_AMOUNT }, 2)).toBeUndefined();
    expect(scale({}, 2)).toEqual({});
  });

  it("have no unit that nobody gave them, whatever its name", () => {
    expect(lookUp({ tokens: 0 }, "tokens")).toBe(0);
    expect(lookUp({}, "constructor")).toBeUndefined();
    expect(lookUp({ constructor: 5 }, "constructor")).toBe(5);
  });
});
