import fc from "fast-check";
import { Leases } from "./leases.js";

function held(...deadlines: number[]): Leases {
  const leases = new Leases();
  deadlines.forEach((deadline, i) => leases.hold(`p${i}`, deadline));
  return leases;
}

describe("leases", () => {
  it("ends each lease at its own deadline, however much traffic there is", () => {
    const leases = held(100, 200);
    leases.hold("late", 300);
    leases.endOverdue(1_000, 100);
    expect(leases.firstAt(10, 0)).toEqual(["p1", "late"]);
  });

  it("moves the deadline of a live lease alone", () => {
    const leases = held(100);
    expect(leases.renew("p0", 50, 99)).toBe(true);
    expect(leases.waitForPlace(1, 100)).toBe(49);
    expect(leases.renew("p0", 50, 149)).toBe(false);
    expect(leases.renew("unknown", 50, 0)).toBe(false);
  });

  it("changes nothing on a second release, an unknown one, and one of a lease that ended by itself", () => {
    const leases = held(100, 100);
    expect(leases.release("unknown", 0)).toBe(false);
    expect(leases.release("p0", 0)).toBe(true);
    expect(leases.release("p0", 0)).toBe(false);
    expect(leases.release("p1", 100)).toBe(false);
    expect(leases.size).toBe(0);
  });

  it("states when a place is free if nobody renews, and null where there are no places", () => {
    expect(held(500, 300).waitForPlace(2, 100)).toBe(200);
    expect(held(500, 300, 400).waitForPlace(2, 100)).toBe(300);
    expect(held(500).waitForPlace(2, 100)).toBe(0);
    expect(held().waitForPlace(0, 100)).toBeNull();
    expect(held(Infinity).waitForPlace(1, 100)).toBe(Infinity);
  });

  it("keeps no lost holder until the old time after the clock was set back", () => {
    const leases = held(3_600_000);
    leases.endOverdue(30_000, 0);
    expect(leases.waitForPlace(1, 0)).toBe(30_000);
  });

  it("agrees with a plain list of deadlines that is gone through each time, whatever is done in whatever order", () => {
    const step = fc.record({
      what: fc.constantFrom("hold", "renew", "release", "ask", "ask"),
      id: fc.nat(5),
      waitMs: fc.oneof(fc.nat(40), fc.constant(-500)),
      limit: fc.integer({ min: 1, max: 6 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const leases = new Leases();
        let plain: [string, number][] = [];
        let now = 1_000;
        for (const { what, id: n, waitMs, limit } of steps) {
          const id = `p${n}`;
          const known = plain.find(([each]) => each === id);
          const isLive = known !== undefined && known[1] > now;
          const others = plain.filter(([each]) => each !== id);
          if (what === "hold" && !known) {
            leases.hold(id, now + 100);
            plain.push([id, now + 100]);
          } else if (what === "renew") {
            expect(leases.renew(id, 100, now)).toBe(isLive);
            if (isLive) plain = [...others, [id, now + 100]];
          } else if (what === "release") {
            expect(leases.release(id, now)).toBe(isLive);
            plain = others;
          } else {
            now += waitMs;
            plain = plain
              .filter(([, deadline]) => deadline > now)
              .map(([each, deadline]) => [each, Math.min(deadline, now + 100)]);
            leases.endOverdue(100, now);
            const ends = plain.map(([, deadline]) => deadline).sort((a, b) => a - b);
            expect(leases.waitForPlace(limit, now)).toBe(ends.length < limit ? 0 : ends[ends.length - limit]! - now);
          }
          expect([leases.size, leases.liveAt(now)]).toEqual([
            plain.length,
            plain.filter(([, deadline]) => deadline > now).length,
          ]);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("costs a permit no more beside a hundred thousand others than beside ten, also where all places are taken and the oldest ends", () => {
    const millisecondsBeside = (count: number): number => {
      const leases = new Leases();
      for (let i = 0; i < count; i += 1) leases.hold(`p${i}`, 1_000_000 + i);
      const begun = performance.now();
      for (let i = 0; i < 2_000; i += 1) {
        leases.endOverdue(2_000_000, i);
        leases.waitForPlace(count, i);
        leases.release(`p${i}`, i);
        leases.hold(`p${count + i}`, 1_200_000 + i);
      }
      return performance.now() - begun;
    };
    millisecondsBeside(10);
    // Going through all of them would be ten thousand times as much.
    expect(millisecondsBeside(100_000)).toBeLessThan(100 * millisecondsBeside(10) + 50);
  });
});
