import { countStart, waitForRetry, type RetryBudget, type RetryLimits } from "./retry-budget.js";

const limits: RetryLimits = { ratio: 0.2, least: 2, windowMs: 10_000 };

function started(firsts: number, now: number): RetryBudget {
  const budget: RetryBudget = new Map();
  for (let i = 0; i < firsts; i++) countStart(budget, limits, false, now);
  return budget;
}

function retries(budget: RetryBudget, tries: number, now: number): number {
  let allowed = 0;
  for (let i = 0; i < tries; i++) {
    if (waitForRetry(budget, limits, now) !== 0) continue;
    countStart(budget, limits, true, now);
    allowed++;
  }
  return allowed;
}

describe("retry budget", () => {
  it("lets through one retry for five first attempts within the window", () => {
    expect(retries(started(100, 0), 100, 500)).toBe(20);
  });

  it("lets through a few in any case", () => {
    expect(retries(started(1, 0), 100, 500)).toBe(2);
  });

  it("states when a retry passes: then, and not before", () => {
    const budget = started(1, 0);
    retries(budget, 1, 500);
    retries(budget, 1, 3_500);
    const wait = waitForRetry(budget, limits, 4_000)!;
    expect(waitForRetry(budget, limits, 4_000 + wait - 1)).toBe(1);
    expect(waitForRetry(budget, limits, 4_000 + wait)).toBe(0);
  });

  it("says so where waiting alone never helps, and lets all through when it is off", () => {
    expect(waitForRetry(started(3, 0), { ...limits, least: 0 }, 0)).toBeNull();
    expect(waitForRetry(started(0, 0), { ...limits, least: 0, ratio: "off" }, 0)).toBe(0);
  });

  it("holds no more slices than the window has", () => {
    const budget: RetryBudget = new Map();
    for (let now = 0; now < 100_000; now += 100) countStart(budget, limits, false, now);
    expect(budget.size).toBeLessThanOrEqual(10);
  });
});
