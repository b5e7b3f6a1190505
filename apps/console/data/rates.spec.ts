import { ratesOf } from "./rates.js";

const sample = (at: number, granted: number) => ({ at, value: { granted } });

describe("rates of counters", () => {
  it("are the growth a second, and none at the first sample", () => {
    expect(ratesOf([sample(1_000, 5)])).toEqual([]);
    expect(ratesOf([sample(1_000, 5), sample(3_000, 8)])).toEqual([{ at: 3_000, granted: 1.5 }]);
  });

  it("are zero, not negative, where a process was started anew", () => {
    expect(ratesOf([sample(1_000, 5), sample(2_000, 0)])).toEqual([{ at: 2_000, granted: 0 }]);
  });
});
