import { closedBreaker, hearResult, passBreaker, phaseOf, trip, waitForBreaker, type Breaker } from "./breaker.js";
import type { Outcome } from "./outcome.js";

const limits = { failures: 5, windowMs: 10_000, resetMs: 1_000, probes: 3 };

/** A permit passed now, as a function that reports its result. */
function pass(breaker: Breaker, id: string, now: number): ((outcome: Outcome, at: number) => void) | null {
  if (waitForBreaker(breaker, limits, now) > 0) return null;
  const epoch = passBreaker(breaker, limits, id, now);
  return (outcome, at) => hearResult(breaker, limits, { id, epoch, outcome }, at);
}

function passMany(breaker: Breaker, count: number, now: number) {
  const passed = Array.from({ length: count }, (_, i) => pass(breaker, `p${now}-${i}`, now));
  return passed.filter((report) => report !== null);
}

function opened(now: number): Breaker {
  const breaker = closedBreaker();
  trip(breaker, limits, now);
  return breaker;
}

describe("breaker", () => {
  it("opens once for parallel failures and stays open for exactly one reset time", () => {
    const breaker = closedBreaker();
    const permits = passMany(breaker, 20, 0);
    permits.forEach((report, i) => report("failed", 100 + i));
    expect(breaker.openUntil).toBe(104 + 1_000);
    expect(waitForBreaker(breaker, limits, 200)).toBe(904);
    expect(waitForBreaker(breaker, limits, 1_104)).toBe(0);
  });

  it("lets through exactly the configured probes, and tells the others when a place frees", () => {
    const breaker = opened(0);
    expect(passMany(breaker, 100, 1_200)).toHaveLength(3);
    expect(waitForBreaker(breaker, limits, 1_200)).toBe(1_000);
  });

  it("opens for another reset time when a probe fails, five times over, and closes when all succeed", () => {
    const breaker = opened(0);
    for (let round = 1; round <= 5; round++) {
      const probes = passMany(breaker, 100, round * 1_000);
      expect(probes).toHaveLength(3);
      probes.forEach((report) => report("overloaded", round * 1_000));
      expect(breaker.openUntil).toBe(round * 1_000 + 1_000);
    }
    const probes = passMany(breaker, 100, 6_000);
    probes.slice(0, 2).forEach((report) => report("succeeded", 6_010));
    expect(phaseOf(breaker, 6_010)).toBe("half_open");
    probes[2]!("succeeded", 6_020);
    expect(phaseOf(breaker, 6_020)).toBe("closed");
  });

  it("gives the place of an unanswered probe to another after one reset time, and its late answer counts no more", () => {
    const breaker = opened(0);
    const lost = passMany(breaker, 3, 1_000);
    expect(passMany(breaker, 100, 1_999)).toHaveLength(0);
    const next = passMany(breaker, 100, 2_000);
    expect(next).toHaveLength(3);
    lost.forEach((report) => report("failed", 2_001));
    expect(phaseOf(breaker, 2_001)).toBe("half_open");
  });

  it("hears no result of a permit from before it opened or closed", () => {
    const breaker = closedBreaker();
    const early = passMany(breaker, 10, 0);
    early.slice(0, 5).forEach((report) => report("failed", 10));
    early.slice(5, 7).forEach((report) => report("succeeded", 1_500));
    early.slice(7).forEach((report) => report("failed", 1_500));
    expect(phaseOf(breaker, 1_500)).toBe("half_open");
    expect(breaker.openUntil).toBe(1_010);
    expect(passMany(breaker, 100, 1_500)).toHaveLength(3);
  });

  it("counts no failure of a permit from before it opened when it has closed again", () => {
    const breaker = closedBreaker();
    const early = passMany(breaker, 10, 0);
    early.slice(0, 5).forEach((report) => report("failed", 10));
    passMany(breaker, 3, 1_100).forEach((report) => report("succeeded", 1_200));
    early.slice(5).forEach((report) => report("failed", 1_300));
    expect(phaseOf(breaker, 1_300)).toBe("closed");
  });

  it("neither opens, closes nor forgets failures for what is the caller's own", () => {
    const breaker = closedBreaker();
    passMany(breaker, 100, 0).forEach((report) => report("rejected", 1));
    expect(phaseOf(breaker, 1)).toBe("closed");
    passMany(breaker, 10, 2).forEach((report, i) => report(i % 2 ? "cancelled" : "failed", 2));
    expect(phaseOf(breaker, 2)).toBe("open");
    passMany(breaker, 3, 1_100).forEach((report) => report("rejected", 1_101));
    expect(phaseOf(breaker, 1_101)).toBe("half_open");
    expect(passMany(breaker, 100, 1_102)).toHaveLength(3);
  });

  it("counts failures within its window alone", () => {
    const breaker = closedBreaker();
    passMany(breaker, 5, 0).forEach((report, i) => report("failed", i * 2_500));
    expect(phaseOf(breaker, 10_000)).toBe("closed");
    passMany(breaker, 1, 10_001).forEach((report) => report("failed", 10_001));
    expect(phaseOf(breaker, 10_001)).toBe("open");
  });

  it("is open for no longer than a reset time when the clock is set back", () => {
    const breaker = opened(3_600_000);
    expect(waitForBreaker(breaker, limits, 0)).toBe(1_000);
    expect(waitForBreaker(breaker, limits, 1_000)).toBe(0);
  });
});
