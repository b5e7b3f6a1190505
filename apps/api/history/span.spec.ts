import { spanOf } from "./span.js";

const now = Date.UTC(2026, 0, 31, 9, 30, 7);

it("has the steps of the last hour, the one that goes on now among them", () => {
  const span = spanOf({}, now);
  expect(span).toEqual({ from: Date.UTC(2026, 0, 31, 8, 30, 0), stepMs: 10_000, steps: 361, bucketS: 10 });
});

it.each([
  ["3600001", undefined, 300_000, 300],
  ["604800000", undefined, 3_600_000, 3_600],
  ["3600000", "60000", 60_000, 10],
  ["21600000", "300000", 300_000, 300],
  ["604800000", "7200000", 7_200_000, 3_600],
])("of %s ms by %s takes steps of %i ms from buckets of %i s", (sinceMs, stepMs, expected, bucketS) => {
  const span = spanOf({ sinceMs, ...(stepMs !== undefined && { stepMs }) }, now);
  expect([span.stepMs, span.bucketS]).toEqual([expected, bucketS]);
  expect(span.from % expected).toBe(0);
});

it.each([
  ["/stepMs", { sinceMs: "10010000", stepMs: "10000" }],
  ["/stepMs", { sinceMs: "604800000", stepMs: "900000" }],
  ["/stepMs", { stepMs: "86410000" }],
  ["/sinceMs", { sinceMs: "3600000001" }],
])("refuses by %s what would be too much", (pointer, query) => {
  expect(() => spanOf(query, now)).toThrow(expect.objectContaining({ errors: [expect.objectContaining({ pointer })] }));
});
