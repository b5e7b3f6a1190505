import { adapt, adaptiveLimit, noteStart, startAdaptive, type Adaptive } from "./adaptive.js";
import type { Outcome } from "./outcome.js";

const limits = { min: 2, max: 40 };

/** Calls of `latencyMs` that keep every place taken from `from` to `to`; each ends as `outcome`. Returns the limits seen. */
function saturate(
  adaptive: Adaptive,
  span: { from: number; to: number; latencyMs: number; outcome: Outcome },
): number[] {
  const seen: number[] = [];
  const calls: { startedAt: number; round: number }[] = [];
  for (let now = span.from; now < span.to; now += 10) {
    while (calls[0] && calls[0].startedAt + span.latencyMs <= now) {
      const { round, startedAt } = calls.shift()!;
      adapt(adaptive, limits, { round, grantedAt: startedAt, outcome: span.outcome }, now);
    }
    while (calls.length < adaptiveLimit(adaptive, limits)) {
      calls.push({ startedAt: now, round: adaptive.round });
      noteStart(adaptive, limits, calls.length, now);
    }
    seen.push(adaptiveLimit(adaptive, limits));
  }
  return seen;
}

describe("adaptive limit", () => {
  it("stays at its maximum through 1 000 good samples", () => {
    const adaptive = startAdaptive();
    for (let now = 1; now <= 1_000; now++) {
      noteStart(adaptive, limits, 40, now);
      adapt(adaptive, limits, { round: 0, grantedAt: now, outcome: "succeeded" }, now);
    }
    expect(adaptiveLimit(adaptive, limits)).toBe(40);
  });

  it("halves once for a burst that fails together", () => {
    const adaptive = startAdaptive();
    for (let i = 0; i < 40; i++) adapt(adaptive, limits, { round: 0, grantedAt: 0, outcome: "overloaded" }, i);
    expect(adaptiveLimit(adaptive, limits)).toBe(20);
  });

  it("falls to no less than its minimum in a brown-out of 30 s, and is back at 80 % within 60 s", () => {
    const adaptive = startAdaptive();
    const brownOut = saturate(adaptive, { from: 0, to: 30_000, latencyMs: 3_000, outcome: "overloaded" });
    expect(brownOut.at(-1)).toBe(2);
    expect(Math.min(...brownOut)).toBe(2);
    const after = saturate(adaptive, { from: 30_000, to: 90_000, latencyMs: 300, outcome: "succeeded" });
    expect(after.at(-1)).toBeGreaterThanOrEqual(32);
    expect(Math.max(...after)).toBeLessThanOrEqual(40);
  });

  it("is raised neither by idle calls, nor by results from before it fell, nor by what is the caller's own", () => {
    const adaptive = startAdaptive();
    noteStart(adaptive, limits, 40, 1);
    adapt(adaptive, limits, { round: 0, grantedAt: 1, outcome: "overloaded" }, 1);
    const { round } = adaptive;
    for (let now = 2; now < 1_000; now++) {
      noteStart(adaptive, limits, 2, now);
      adapt(adaptive, limits, { round, grantedAt: now, outcome: "succeeded" }, now);
      adapt(adaptive, limits, { round: 0, grantedAt: 1, outcome: "succeeded" }, now);
      for (const outcome of ["rejected", "cancelled", "failed"] as const) {
        adapt(adaptive, limits, { round, grantedAt: 1, outcome }, now);
      }
    }
    expect(adaptiveLimit(adaptive, limits)).toBe(20);
  });

  it("keeps within limits that were changed", () => {
    const adaptive = startAdaptive();
    expect(adaptiveLimit(adaptive, { min: 1, max: 10 })).toBe(10);
    adapt(adaptive, { min: 50, max: 60 }, { round: 0, grantedAt: 0, outcome: "overloaded" }, 0);
    expect(adaptiveLimit(adaptive, { min: 50, max: 60 })).toBe(50);
  });
});
