import fc from "fast-check";
import { denialOf, maxAttempts, maxChildren, passesIntegers, sizeOf, type Bound, type SizedAsk } from "./admission.js";
import { MAX_AMOUNT } from "./amounts.js";
import { fits, type ScopeKind } from "./figures.js";

const bound = (
  kind: ScopeKind,
  limit: number | null,
  taken: { reserved?: number; spent?: number; unit?: string } = {},
): Bound => ({
  scope: { kind, id: `${kind}_1` },
  unit: taken.unit ?? "tokens",
  figures: { limit, reserved: taken.reserved ?? 0, spent: taken.spent ?? 0 },
});
const asking = (tokens: number): SizedAsk => sizeOf({ amounts: { tokens } })!;
const planning = (children: number, attempts: number, cost: Record<string, number>): SizedAsk =>
  sizeOf({ children, attempts, attemptCost: cost })!;
const EDGES = [0, 1, 999, 1_000, 1_001, 99_999_999_999_999, 10 ** 14, MAX_AMOUNT];

describe("the size of an ask", () => {
  it("is children × attempts × cost of an attempt, in every unit", () => {
    expect(planning(3, 2, { tokens: 20, calls: 1 })).toEqual({
      children: 3,
      perChild: { tokens: 40, calls: 2 },
      total: { tokens: 120, calls: 6 },
      isPlan: true,
    });
  });

  it("is undefined where a product passes 2^53 − 1", () => {
    expect(sizeOf({ children: 1, attempts: 1, attemptCost: { tokens: MAX_AMOUNT } })?.total).toEqual({
      tokens: MAX_AMOUNT,
    });
    expect(sizeOf({ children: 2, attempts: 1, attemptCost: { tokens: 2 ** 52 } })).toBeUndefined();
    expect(sizeOf({ children: 1, attempts: 2, attemptCost: { tokens: 2 ** 52, calls: 0 } })).toBeUndefined();
  });
});

describe("a size", () => {
  it("is exact or undefined, never rounded", () => {
    const factor = fc.oneof(fc.integer({ min: 1, max: 200_000 }), fc.constantFrom(2 ** 26, 2 ** 27, 2 ** 52));
    fc.assert(
      fc.property(factor, factor, fc.maxSafeNat(), (children, attempts, cost) => {
        const exact = BigInt(children) * BigInt(attempts) * BigInt(cost);
        const total = sizeOf({ children, attempts, attemptCost: { tokens: cost } })?.total["tokens"];
        expect(total === undefined ? undefined : BigInt(total)).toBe(exact > BigInt(MAX_AMOUNT) ? undefined : exact);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("a decision", () => {
  it.each(EDGES)("admits exactly %p at a limit of as much, and not one more", (limit) => {
    expect(denialOf(asking(limit), 1, [bound("tenant", limit)])).toBeNull();
    if (limit > 0) expect(denialOf(asking(limit - 1), 1, [bound("tenant", limit)])).toBeNull();
    if (limit === MAX_AMOUNT) return;
    expect(denialOf(asking(limit + 1), 1, [bound("tenant", limit)])).toMatchObject({
      code: "exceeds_limit",
      requested: limit + 1,
      limit,
    });
    expect(denialOf(asking(1), 1, [bound("tenant", limit, { reserved: limit })])).not.toBeNull();
  });

  it("says exceeds_limit where it can never fit, allowance_exhausted where it does not fit now", () => {
    expect(denialOf(asking(101), 1, [bound("job", 100, { spent: 50 })])?.code).toBe("exceeds_limit");
    expect(denialOf(asking(100), 1, [bound("job", 100, { spent: 50 })])?.code).toBe("allowance_exhausted");
    expect(denialOf(asking(1), 1, [bound("job", 0)])?.code).toBe("exceeds_limit");
  });

  it("names the narrowest of several scopes that deny", () => {
    const full = (kind: ScopeKind) => bound(kind, 100, { reserved: 100 });
    expect(denialOf(asking(1), 1, [full("job"), full("user"), full("tenant")])?.scope.kind).toBe("job");
    expect(denialOf(asking(1), 1, [bound("job", 100), full("user"), full("tenant")])?.scope.kind).toBe("user");
  });

  it("names a scope that can never hold it before a narrower one that only cannot now", () => {
    const bounds = [bound("job", 100, { spent: 100 }), bound("user", null), bound("tenant", 50)];
    expect(denialOf(asking(60), 1, bounds)).toMatchObject({ code: "exceeds_limit", scope: { kind: "tenant" } });
  });

  it("states every figure that explains it", () => {
    expect(denialOf(asking(60), 1, [bound("user", 100, { reserved: 30, spent: 20 })])).toEqual({
      code: "allowance_exhausted",
      scope: { kind: "user", id: "user_1" },
      unit: "tokens",
      limit: 100,
      spent: 20,
      reserved: 30,
      available: 50,
      requested: 60,
    });
  });

  it("denies even 0 where a scope is over its limit: nothing is admitted there", () => {
    expect(denialOf(asking(0), 1, [bound("tenant", 100, { spent: 180 })])).toMatchObject({
      requested: 0,
      available: 0,
    });
    expect(denialOf(asking(0), 1, [bound("tenant", 100, { spent: 100 })])).toBeNull();
  });

  it("without a limit still ends where integers do", () => {
    const bounds = [bound("tenant", null, { spent: MAX_AMOUNT - 5 })];
    expect(denialOf(asking(5), 1, bounds)).toBeNull();
    expect(denialOf(asking(6), 1, bounds)).toMatchObject({ code: "allowance_exhausted", limit: null, available: 5 });
    expect([passesIntegers(asking(5), bounds), passesIntegers(asking(6), bounds)]).toEqual([false, true]);
  });
});

describe("maxChildren", () => {
  it("stands in the denial of a plan, and only of a plan", () => {
    expect(denialOf(planning(3, 2, { tokens: 20 }), 3, [bound("tenant", 100)])).toMatchObject({
      requested: 120,
      maxChildren: 2,
    });
    expect(denialOf(asking(120), 1, [bound("tenant", 100)])).not.toHaveProperty("maxChildren");
  });

  it("is bound by the tightest scope and unit, never above what was asked", () => {
    const ask = planning(10, 2, { tokens: 20, calls: 1 });
    expect(maxChildren(ask, [bound("tenant", 1_000), bound("tenant", 1_000, { unit: "calls" })])).toBe(10);
    expect(maxChildren(ask, [bound("job", 150), bound("tenant", 500)])).toBe(3);
    expect(maxChildren(ask, [bound("job", 150), bound("tenant", 3, { unit: "calls" })])).toBe(1);
    expect(maxChildren(ask, [bound("tenant", 39)])).toBe(0);
  });

  it("is not bound by a unit that costs nothing, unless that unit is over its limit", () => {
    expect(maxChildren(planning(4, 1, { tokens: 0 }), [bound("tenant", 0)])).toBe(4);
    expect(maxChildren(planning(4, 1, { tokens: 0 }), [bound("tenant", 1, { spent: 2 })])).toBe(0);
  });

  it("fits, and one more would not", () => {
    const amount = fc.oneof(fc.nat(50), fc.constantFrom(...EDGES), fc.maxSafeNat());
    const taken = fc.record({ reserved: fc.oneof(fc.constant(0), amount), spent: fc.oneof(fc.constant(0), amount) });
    const bounds = fc.array(
      fc.tuple(fc.option(amount), taken).map(([limit, of]) => bound("tenant", limit, of)),
      { minLength: 1, maxLength: 3 },
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000 }), fc.nat(10 ** 12), bounds, (children, cost, scopes) => {
        const ask = planning(children, 1, { tokens: cost });
        const most = maxChildren(ask, scopes);
        const fit = (count: number) => scopes.every(({ figures }) => fits(figures, cost * count));
        if (most > 0) expect(fit(most)).toBe(true);
        if (most < children) expect(fit(most + 1)).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("maxAttempts", () => {
  it("keeps all children, and is bound by the tightest scope and unit", () => {
    const plan = { children: 10, attempts: 2, attemptCost: { tokens: 20, calls: 5 } };
    expect(maxAttempts(plan, [bound("tenant", 400)])).toBe(2);
    expect(maxAttempts(plan, [bound("job", 400), bound("tenant", 399)])).toBe(1);
    expect(maxAttempts(plan, [bound("job", 400), bound("tenant", 49, { unit: "calls" })])).toBe(0);
    expect(maxAttempts({ ...plan, attemptCost: { tokens: MAX_AMOUNT } }, [])).toBeUndefined();
  });

  it("fits, and one more attempt of each child would not", () => {
    const small = fc.integer({ min: 1, max: 20 });
    fc.assert(
      fc.property(small, small, fc.nat(100), fc.nat(10_000), (children, attempts, cost, limit) => {
        const plan = { children, attempts, attemptCost: { tokens: cost } };
        const most = maxAttempts(plan, [bound("tenant", limit)])!;
        expect(children * most * cost).toBeLessThanOrEqual(limit);
        if (most < attempts) expect(children * (most + 1) * cost).toBeGreaterThan(limit);
      }),
    );
  });
});
