import { endOverdue, heartbeat, release, waitForPlace, type Leases } from "./leases.js";

function held(...deadlines: number[]): Leases {
  return new Map(deadlines.map((deadline, i) => [`p${i}`, deadline]));
}

describe("leases", () => {
  it("ends each lease at its own deadline, however much traffic there is", () => {
    const leases = held(100, 200);
    leases.set("late", 300);
    endOverdue(leases, 1_000, 100);
    expect([...leases.keys()]).toEqual(["p1", "late"]);
  });

  it("moves the deadline of a live lease alone", () => {
    const leases = held(100);
    expect(heartbeat(leases, "p0", 50, 99)).toBe(true);
    expect(leases.get("p0")).toBe(149);
    expect(heartbeat(leases, "p0", 50, 149)).toBe(false);
    expect(heartbeat(leases, "unknown", 50, 0)).toBe(false);
  });

  it("changes nothing on a second release, an unknown one, and one of a lease that ended by itself", () => {
    const leases = held(100, 100);
    expect(release(leases, "unknown", 0)).toBe(false);
    expect(release(leases, "p0", 0)).toBe(true);
    expect(release(leases, "p0", 0)).toBe(false);
    expect(release(leases, "p1", 100)).toBe(false);
    expect(leases.size).toBe(0);
  });

  it("states when a place is free if nobody renews, and null where there are no places", () => {
    expect(waitForPlace(held(500, 300), 2, 100)).toBe(200);
    expect(waitForPlace(held(500, 300, 400), 2, 100)).toBe(300);
    expect(waitForPlace(held(500), 2, 100)).toBe(0);
    expect(waitForPlace(held(), 0, 100)).toBeNull();
  });

  it("keeps no lost holder until the old time after the clock was set back", () => {
    const leases = held(3_600_000);
    endOverdue(leases, 30_000, 0);
    expect(leases.get("p0")).toBe(30_000);
  });
});
