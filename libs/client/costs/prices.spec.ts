import fc from "fast-check";
import { PriceTable, readUsage, UnknownModel, type Usage } from "./index.js";

/** Millionths of a dollar for a million tokens. */
const price = { input: 3_000_000, cacheRead: 300_000, cacheWrite: 3_750_000, output: 15_000_000 };
const table = new PriceTable({ m: price, free: { input: 0, output: 0 } });
const amount = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

describe("price table", () => {
  it("prices what is cached once in both dialects", () => {
    const details = { cached_tokens: 500, cache_write_tokens: 300 };
    const within = { prompt_tokens: 2_000, completion_tokens: 100, prompt_tokens_details: details };
    const beside = {
      input_tokens: 1_200,
      cache_read_input_tokens: 500,
      cache_creation_input_tokens: 300,
      output_tokens: 100,
    };
    for (const usage of [within, beside]) expect(table.cost("m", readUsage({ usage }) as Usage)).toBe(6_375);
  });

  it("throws for a model that it does not know, also for names that every object has", () => {
    for (const model of ["x-typo", "m-2026", "M", "", "constructor", "__proto__"]) {
      expect(() => table.cost(model, { input: 1 })).toThrow(UnknownModel);
      expect(table.has(model)).toBe(false);
    }
  });

  it("takes an explicit price of 0 for what it is", () => {
    expect(table.cost("free", { input: 1_000_000, output: 5 })).toBe(0);
  });

  it("asks the price of input for what is cached where no other is given, never nothing", () => {
    const plain = new PriceTable({ m: { input: 1_000_000, output: 0 } });
    expect(plain.cost("m", { cacheRead: 1, cacheWrite: 2, cacheWrite1h: 3 })).toBe(6);
    const cached = new PriceTable({ m: { input: 0, output: 0, cacheWrite: 1_000_000 } });
    expect(cached.cost("m", { cacheRead: 1, cacheWrite: 2, cacheWrite1h: 3 })).toBe(5);
  });

  it("rounds the sum up to a whole unit, once", () => {
    const cheap = new PriceTable({ m: { input: 75_000, output: 75_000 } });
    expect(cheap.cost("m", { input: 1 })).toBe(1);
    expect(cheap.cost("m", { input: 10, output: 4 })).toBe(2);
    expect(cheap.cost("m", { input: 40 })).toBe(3);
    expect(cheap.cost("m", {})).toBe(0);
  });

  it("is exact for every count and price, or throws above 2^53 − 1", () => {
    fc.assert(
      fc.property(amount, amount, amount, amount, (input, output, inPrice, outPrice) => {
        const prices = new PriceTable({ m: { input: inPrice, output: outPrice } });
        const millionths = BigInt(input) * BigInt(inPrice) + BigInt(output) * BigInt(outPrice);
        const cost = (millionths + 999_999n) / 1_000_000n;
        if (cost > BigInt(Number.MAX_SAFE_INTEGER)) {
          expect(() => prices.cost("m", { input, output })).toThrow(RangeError);
        } else expect(BigInt(prices.cost("m", { input, output }))).toBe(cost);
      }),
    );
    const whole = new PriceTable({ m: { input: 1_000_000, output: 1 } });
    expect(whole.cost("m", { input: Number.MAX_SAFE_INTEGER })).toBe(Number.MAX_SAFE_INTEGER);
    expect(() => whole.cost("m", { input: Number.MAX_SAFE_INTEGER, output: 1 })).toThrow(RangeError);
  });

  it.each([-1, -0, 0.5, NaN, Infinity, 2 ** 53, "1", null, undefined, [], true])("takes no price of %p", (wrong) => {
    const prices = { m: { input: wrong, output: 1 } } as unknown as { m: { input: number; output: number } };
    expect(() => new PriceTable(prices)).toThrow(/price input of "m"/);
  });

  it("costs no tokens that are no count, and no usage that is unknown", () => {
    for (const wrong of [-1, 0.5, NaN, Infinity, "1", [5]]) {
      expect(() => table.cost("m", { input: wrong } as unknown as Usage)).toThrow(RangeError);
    }
    expect(() => table.cost("m", "unknown" as unknown as Usage)).toThrow(RangeError);
  });
});
