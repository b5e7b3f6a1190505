import {
  followClock,
  fullBucket,
  takeTokens,
  tokensIn,
  waitForTokens,
  type Bucket,
  type Rate,
} from "./token-bucket.js";

const rate: Rate = { ratePerSecond: 1, burst: 10 };

function take(bucket: Bucket, limits: Rate, cost: number, now: number): boolean {
  followClock(bucket, now);
  if (waitForTokens(bucket, limits, cost, now) !== 0) return false;
  takeTokens(bucket, limits, cost, now);
  return true;
}

describe("token bucket", () => {
  it("takes nothing for a request that it refuses, and is never negative", () => {
    const bucket = fullBucket(rate, 0);
    expect(take(bucket, rate, 8, 0)).toBe(true);
    expect(take(bucket, rate, 5, 0)).toBe(false);
    expect(tokensIn(bucket, rate, 0)).toBe(2);
    expect(take(bucket, rate, 2, 0)).toBe(true);
    expect(take(bucket, rate, 1_000_000, 0)).toBe(false);
    expect(take(bucket, rate, 1, 1_000)).toBe(true);
  });

  it("never lets through a cost above the burst, nor anything at rate 0 or burst 0", () => {
    expect(waitForTokens(fullBucket(rate, 0), rate, 11, 0)).toBeNull();
    const stopped = { ratePerSecond: 0, burst: 10 };
    expect(waitForTokens(fullBucket(stopped, 0), stopped, 1, 0)).toBeNull();
    const empty = { ratePerSecond: 5, burst: 0 };
    expect(waitForTokens(fullBucket(empty, 0), empty, 1, 0)).toBeNull();
  });

  it("does not credit again the time that it stood full", () => {
    const fast = { ratePerSecond: 10, burst: 10 };
    const bucket = fullBucket(fast, 0);
    expect(take(bucket, fast, 10, 60_000)).toBe(true);
    expect(take(bucket, fast, 1, 60_000)).toBe(false);
  });

  it("issues no token twice to clocks that differ by seconds", () => {
    const fast = { ratePerSecond: 10, burst: 10 };
    const bucket = fullBucket(fast, 0);
    let granted = 0;
    for (let ms = 0; ms <= 10_000; ms += 5)
      granted += Number(take(bucket, fast, 1, 100_000 + ms + (ms % 2 ? 2_000 : -2_000)));
    expect(granted).toBeLessThanOrEqual(10 + 10 * 10 + 1);
    expect(granted).toBeGreaterThanOrEqual(100);
  });

  it("locks nobody out when the clock is set back an hour, and grants at most one burst more when it is set right", () => {
    const bucket = fullBucket(rate, 10_000_000);
    take(bucket, rate, 10, 10_000_000);
    const back = 10_000_000 - 3_600_000;
    expect(take(bucket, rate, 1, back)).toBe(false);
    expect(tokensIn(bucket, rate, back)).toBe(0);
    expect(take(bucket, rate, 1, back + 1_000)).toBe(true);
    expect(take(bucket, rate, 10, 10_000_000)).toBe(true);
    expect(take(bucket, rate, 1, 10_000_000)).toBe(false);
  });

  it("states a wait that is exact: admitted then, refused a millisecond before, at 1 000 random levels", () => {
    let seed = 7;
    const random = (most: number): number => (seed = (seed * 48_271) % 2_147_483_647) % most;
    for (let i = 0; i < 1_000; i++) {
      const limits = { ratePerSecond: (1 + random(5_000)) / 7, burst: 1 + random(1_000) };
      const bucket = { level: random(limits.burst * 1_000_000), at: 1_000 };
      const cost = 1 + random(limits.burst);
      const wait = waitForTokens(bucket, limits, cost, 1_000)!;
      expect(waitForTokens(bucket, limits, cost, 1_000 + wait)).toBe(0);
      if (wait > 0) expect(waitForTokens(bucket, limits, cost, 1_000 + wait - 1)).toBe(1);
    }
  });
});
