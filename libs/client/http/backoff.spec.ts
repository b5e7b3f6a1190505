import { retryAfterMs, waitBeforeRetry } from "./backoff.js";

const NOW = Date.parse("2026-01-31T09:30:00.000Z");

describe("Retry-After", () => {
  it.each([
    ["1", 1_000],
    [" 30 ", 30_000],
    ["0.5", 500],
    ["60000", 60_000_000],
    ["Sat, 31 Jan 2026 09:30:20 GMT", 20_000],
    ["Saturday, 31-Jan-26 09:30:20 GMT", 20_000],
  ])("%p asks for a wait", (header, waitMs) => {
    expect(retryAfterMs(header, NOW)).toBe(waitMs);
  });

  it.each([
    null,
    "",
    "0",
    "-5",
    "abc",
    "NaN",
    "Infinity",
    "1e3",
    "0x10",
    "5 s",
    "Sat, 31 Jan 2026 09:29:59 GMT",
    "Sat, 99 Xyz 2026",
  ])("%p says nothing", (header) => {
    expect(retryAfterMs(header, NOW)).toBeNull();
  });
});

describe("the wait before a retry", () => {
  const options = { baseMs: 200, mostMs: 1_000 };

  it("has full jitter under a bound that doubles up to the most", () => {
    const bounds = [1, 2, 3, 4, 50].map((tries) => waitBeforeRetry(tries, null, options, 1 - Number.EPSILON));
    expect(bounds).toEqual([199, 399, 799, 999, 999]);
    expect(waitBeforeRetry(5, null, options, 0)).toBe(0);
  });

  it("is never shorter than what the service asked for", () => {
    expect(waitBeforeRetry(1, 3_000, options, 0)).toBe(3_000);
    expect(waitBeforeRetry(1, 3_000, options, 0.5)).toBe(3_100);
  });
});
