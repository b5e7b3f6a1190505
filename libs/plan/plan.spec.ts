import fc from "fast-check";
import { type Plan, MAX_AMOUNT, maxAttempts, maxChildren, plannedAmounts } from "./plan.js";

const plan = (children: number, attempts: number, attemptCost: Record<string, number>): Plan => ({
  children,
  attempts,
  attemptCost,
});

describe("planned amounts", () => {
  it("multiplies children, attempts and the cost of an attempt in every unit", () => {
    expect(plannedAmounts(plan(3, 2, { units: 20, tokens: 1 }))).toEqual({
      ok: true,
      amounts: { units: 120, tokens: 6 },
    });
  });

  it("plans 0 of a unit that costs nothing", () => {
    expect(plannedAmounts(plan(3, 2, { units: 0 }))).toEqual({ ok: true, amounts: { units: 0 } });
  });

  it("holds the largest amount and refuses one more, naming the unit", () => {
    expect(plannedAmounts(plan(1, 1, { units: MAX_AMOUNT }))).toEqual({ ok: true, amounts: { units: MAX_AMOUNT } });
    expect(plannedAmounts(plan(2, 1, { tokens: 1, units: 2 ** 52 }))).toEqual({ ok: false, overflow: "units" });
    expect(plannedAmounts(plan(MAX_AMOUNT, MAX_AMOUNT, { units: 1 }))).toEqual({ ok: false, overflow: "units" });
  });

  it.each([1.5, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])("throws for %p, which is no amount", (bad) => {
    expect(() => plannedAmounts(plan(bad, 1, { units: 1 }))).toThrow(RangeError);
    expect(() => plannedAmounts(plan(1, bad, { units: 1 }))).toThrow(RangeError);
    expect(() => plannedAmounts(plan(1, 1, { units: bad }))).toThrow(RangeError);
  });

  it("is exact or refused, never rounded", () => {
    const amount = fc.maxSafeNat();
    fc.assert(
      fc.property(fc.nat(200_000), fc.nat(200_000), amount, (children, attempts, cost) => {
        const exact = BigInt(children) * BigInt(attempts) * BigInt(cost);
        const got = plannedAmounts(plan(children, attempts, { units: cost }));
        if (exact > BigInt(MAX_AMOUNT)) return !got.ok;
        return got.ok && BigInt(got.amounts["units"] ?? -1) === exact;
      }),
    );
  });
});

describe("what fits", () => {
  it("takes the tightest scope and unit", () => {
    const wanted = plan(10, 2, { units: 20, tokens: 5 });
    expect(maxChildren(wanted, [{ units: 500, tokens: 1000 }])).toBe(10);
    expect(maxChildren(wanted, [{ units: 150 }, { units: 500 }])).toBe(3);
    expect(maxChildren(wanted, [{ units: 150, tokens: 19 }, { units: 500 }])).toBe(1);
    expect(maxAttempts(wanted, [{ units: 399 }])).toBe(1);
    expect(maxAttempts(wanted, [{ units: 199 }])).toBe(0);
  });

  it("is not bound by an unlimited scope, a unit without a limit or a cost of 0", () => {
    expect(maxChildren(plan(10, 2, { units: 20 }), [{ units: "unlimited" }, { tokens: 1 }, {}])).toBe(10);
    expect(maxChildren(plan(10, 2, { units: 0 }), [{ units: 0 }])).toBe(10);
    expect(maxChildren(plan(10, 2, { constructor: 20 }), [{}])).toBe(10);
  });

  const wanted = fc.record({
    children: fc.integer({ min: 1, max: 1000 }),
    attempts: fc.integer({ min: 1, max: 20 }),
    attemptCost: fc.record({ units: fc.nat(10_000), tokens: fc.nat(10_000) }),
  });
  const scopes = fc.array(fc.record({ units: fc.nat(1_000_000), tokens: fc.nat(1_000_000) }), { minLength: 1 });
  const fits = (candidate: Plan, available: readonly Record<string, number>[]): boolean => {
    const planned = plannedAmounts(candidate);
    if (!planned.ok) return false;
    return Object.entries(planned.amounts).every(([unit, amount]) =>
      available.every((scope) => amount <= (scope[unit] ?? 0)),
    );
  };

  it("fits, and one more child or attempt would not", () => {
    fc.assert(
      fc.property(wanted, scopes, (full, available) => {
        const children = maxChildren(full, available);
        const attempts = maxAttempts(full, available);
        expect(fits({ ...full, children }, available)).toBe(true);
        expect(fits({ ...full, attempts }, available)).toBe(true);
        expect(fits({ ...full, children: children + 1 }, available) && children < full.children).toBe(false);
        expect(fits({ ...full, attempts: attempts + 1 }, available) && attempts < full.attempts).toBe(false);
      }),
    );
  });
});
