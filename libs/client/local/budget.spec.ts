import fc from "fast-check";
import { Budget, Denied, type Held } from "./index.js";

const MAX = Number.MAX_SAFE_INTEGER;
const amounts = (tokens: number) => ({ amounts: { tokens } });

/** A root with two parts, of which one has a part of its own: where each stands, and what is above it. */
function tree(limits: readonly number[]) {
  const root = new Budget({ tokens: limits[0]! }, "0");
  const [one, two] = [root.child({ tokens: limits[1]! }, "1"), root.child({ tokens: limits[2]! }, "2")];
  const budgets = [root, one, two, one.child({ tokens: limits[3]! }, "3")];
  return { budgets, paths: [[0], [1, 0], [2, 0], [3, 1, 0]] };
}

const step = fc.record({
  at: fc.nat(3),
  what: fc.constantFrom("reserve", "reserve", "settle", "release", "limit"),
  amount: fc.nat(120),
  which: fc.nat(50),
});

const steps = fc.array(step, { minLength: 10, maxLength: 60, size: "max" });

describe("budget", () => {
  it("holds, spends and refuses as plain sums do, at every level", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(200), { minLength: 4, maxLength: 4 }), steps, (given, all) => {
        const { budgets, paths } = tree(given);
        const limits = [...given];
        const holds: { held: Held; path: number[]; amount: number; spent: number }[] = [];
        const sum = (level: number, of: (hold: (typeof holds)[0]) => number): number =>
          holds.filter(({ path }) => path.includes(level)).reduce((all, hold) => all + of(hold), 0);
        const reserved = (level: number) => sum(level, ({ held, amount }) => (held.state === "open" ? amount : 0));
        const spent = (level: number) => sum(level, (hold) => hold.spent);
        for (const { at, what, amount, which } of all) {
          const hold = holds[which % Math.max(1, holds.length)];
          if (what === "reserve") {
            const refusing = paths[at]!.filter((level) => spent(level) + reserved(level) + amount > limits[level]!);
            const never = refusing.find((level) => amount > limits[level]!);
            try {
              holds.push({ held: budgets[at]!.reserve(amounts(amount)), path: paths[at]!, amount, spent: 0 });
              expect(refusing).toEqual([]);
            } catch (error) {
              if (!(error instanceof Denied)) throw error;
              expect([error.budget, error.denial.code]).toEqual(
                never === undefined ? [String(refusing[0]), "allowance_exhausted"] : [String(never), "exceeds_limit"],
              );
            }
          } else if (what === "limit") {
            budgets[at]!.setLimit("tokens", amount);
            limits[at] = amount;
          } else if (hold?.held.state === "open") {
            if (what === "release") hold.held.release();
            else {
              hold.held.settle({ tokens: amount });
              hold.spent = amount;
            }
          }
          budgets.forEach((budget, level) => {
            const taken = reserved(level) + spent(level);
            expect(budget.figures("tokens")).toEqual({
              limit: limits[level],
              reserved: reserved(level),
              spent: spent(level),
              available: Math.max(0, limits[level]! - taken),
              overage: Math.max(0, taken - limits[level]!),
            });
          });
        }
      }),
    );
  });

  it("closes a hold once: the same again changes nothing, anything else throws", () => {
    const ends: [string, (held: Held) => void][] = [
      ["settled 60", (held) => held.settle({ tokens: 60 })],
      ["settled 70", (held) => held.settle({ tokens: 70 })],
      ["released", (held) => held.release()],
    ];
    for (const [first, one] of ends) {
      for (const [second, two] of ends) {
        const budget = new Budget({ tokens: 100 });
        const held = budget.reserve(amounts(100));
        one(held);
        const before = budget.figures("tokens");
        if (first === second) two(held);
        else expect(() => two(held)).toThrow(/already/);
        expect(budget.figures("tokens")).toEqual(before);
      }
    }
  });

  it("books what is above the hold in full, and denies what comes next until the limit rises", () => {
    const budget = new Budget({ tokens: 100 });
    budget.reserve(amounts(50)).settle({ tokens: 180 });
    expect(budget.figures("tokens")).toMatchObject({ spent: 180, reserved: 0, available: 0, overage: 80 });
    expect(() => budget.reserve(amounts(0))).toThrow(Denied);
    budget.setLimit("tokens", 181);
    budget.reserve(amounts(1));
  });

  it("denies a plan as a whole and tells how many children would fit", () => {
    const budget = new Budget({ tokens: 500 });
    const plan = { children: 10, attempts: 2, attemptCost: { tokens: 30 } };
    expect(() => budget.reserve(plan)).toThrow(
      expect.objectContaining({ denial: expect.objectContaining({ requested: 600, maxChildren: 8 }) }),
    );
    expect(budget.reserve({ ...plan, children: 8 }).amounts).toEqual({ tokens: 480 });
  });

  it("never takes a unit for free that nothing limits", () => {
    const budget = new Budget({ tokens: 100 }).child({ calls: 5 });
    expect(() => budget.reserve({ amounts: { tokens: 1, usd_micros: 1 } })).toThrow(
      "no budget limits the unit usd_micros",
    );
    expect(() => budget.reserve({ amounts: { constructor: 1 } })).toThrow("no budget limits the unit constructor");
    expect(budget.figures("tokens").reserved).toBe(0);
    expect(new Budget({ tokens: "unlimited" }).reserve(amounts(MAX)).amounts).toEqual({ tokens: MAX });
  });

  it.each([-1, -0, 0.5, NaN, Infinity, 2 ** 53, "1", null, undefined, [], true])("takes no amount of %p", (wrong) => {
    const tokens = wrong as number;
    const budget = new Budget({ tokens: 100 });
    const held = budget.reserve(amounts(10));
    expect(() => budget.reserve(amounts(tokens))).toThrow(RangeError);
    expect(() => budget.reserve({ children: tokens, attempts: 1, attemptCost: { tokens: 1 } })).toThrow(RangeError);
    expect(() => budget.setLimit("tokens", tokens)).toThrow(RangeError);
    expect(() => held.settle({ tokens })).toThrow(RangeError);
    expect(() => held.settle({ calls: 1, tokens: 1 })).toThrow("calls was not held");
    expect(budget.figures("tokens")).toMatchObject({ limit: 100, reserved: 10, spent: 0 });
  });

  it("settles as planned what its work leaves open, also by throwing, and starts none for a caller that has gone", async () => {
    const budget = new Budget({ tokens: 100 });
    expect(await budget.run(amounts(10), () => "done")).toBe("done");
    await expect(budget.run(amounts(10), () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(budget.figures("tokens")).toMatchObject({ spent: 20, reserved: 0 });
    await budget.run(amounts(10), (held) => held.settle({ tokens: 0 }));
    await budget.run(amounts(10), (held) => held.release());
    const signal = AbortSignal.abort(new Error("gone"));
    await expect(budget.run(amounts(10), () => "done", { signal })).rejects.toThrow("gone");
    expect(budget.figures("tokens")).toMatchObject({ spent: 20, reserved: 0 });
  });

  it("admits nothing any more once it is closed, here and in every part, and lets settle what is open", () => {
    const root = new Budget({ tokens: 100 });
    const part = root.child({}).child({});
    const held = part.reserve(amounts(50));
    root.close();
    for (const budget of [root, part]) expect(() => budget.reserve(amounts(0))).toThrow("is closed");
    held.settle({ tokens: 30 });
    expect(root.figures("tokens")).toMatchObject({ spent: 30, reserved: 0 });
  });
});
