import { FakeClock } from "../../../test/support/fake-clock.js";
import { AdaptiveLimit, Breaker, outcomeOf, Shed, type Permit } from "./index.js";

const LIMITS = { failures: 5, windowMs: 60_000, resetMs: 1_000, probes: 2 };

function newBreaker() {
  const clock = new FakeClock();
  const breaker = new Breaker(LIMITS, clock);
  return {
    clock,
    breaker,
    /** Calls that fail so, one after another; how each ended. */
    fail: async (times: number, status = 500): Promise<void> => {
      for (let i = 0; i < times; i++) {
        await breaker.run(() => Promise.reject(Object.assign(new Error("no"), { status }))).catch(() => undefined);
      }
    },
    /** So many at once; the permits of those that were let through. */
    burst: async (calls: number): Promise<Permit[]> => {
      const results = await Promise.allSettled(Array.from({ length: calls }, () => breaker.acquire()));
      return results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    },
  };
}

describe("breaker", () => {
  it("opens after so many failures, refuses at once, and tells how long", async () => {
    const { breaker, clock, fail } = newBreaker();
    await fail(4);
    expect(breaker.phase).toBe("closed");
    await fail(1);
    expect(breaker.phase).toBe("open");
    await clock.advance(400);
    await expect(breaker.run(() => 1)).rejects.toMatchObject({ code: "breaker_open", retryAfterMs: 600 });
  });

  it("lets exactly its probes through while it is half-open, as often as they fail", async () => {
    const { breaker, clock, fail, burst } = newBreaker();
    await fail(5);
    for (let round = 0; round < 5; round++) {
      await clock.advance(LIMITS.resetMs);
      const probes = await burst(100);
      expect(probes).toHaveLength(LIMITS.probes);
      probes[0]!.finish("failed");
      expect(breaker.phase).toBe("open");
    }
    await clock.advance(LIMITS.resetMs);
    for (const probe of await burst(100)) probe.finish("succeeded");
    expect(breaker.phase).toBe("closed");
  });

  it("does not hear what was started before it opened", async () => {
    const { breaker, clock, fail, burst } = newBreaker();
    const [early] = await burst(1);
    await fail(5);
    await clock.advance(LIMITS.resetMs);
    early!.finish("succeeded");
    expect(breaker.phase).toBe("half_open");
  });

  it("takes a caller's own faults neither for failures nor for successes", async () => {
    const { breaker, clock, fail } = newBreaker();
    for (const status of [400, 401, 404, 422]) await fail(25, status);
    expect(breaker.phase).toBe("closed");
    for (let i = 0; i < 5; i++) {
      await fail(1, 400);
      await fail(1, 500);
    }
    expect(breaker.phase).toBe("open");
    await clock.advance(LIMITS.resetMs);
    await fail(5, 400);
    expect(breaker.phase).toBe("half_open");
  });

  it("is opened and closed by hand", async () => {
    const { breaker } = newBreaker();
    breaker.trip();
    await expect(breaker.run(() => 1)).rejects.toBeInstanceOf(Shed);
    breaker.reset();
    expect(await breaker.run(() => 1)).toBe(1);
  });
});

describe("adaptive limit", () => {
  /** A round of calls that take every place there is, all with the same outcome. */
  async function round(limit: AdaptiveLimit, outcome: "succeeded" | "overloaded"): Promise<void> {
    const permits: Permit[] = [];
    while (limit.inFlight < limit.limit) permits.push(await limit.acquire());
    for (const permit of permits) permit.finish(outcome);
  }

  it("falls by half a round of overload, never below its least, and comes back", async () => {
    const clock = new FakeClock();
    const limit = new AdaptiveLimit({ min: 2, max: 20 }, undefined, clock);
    for (const expected of [10, 5, 2, 2]) {
      await round(limit, "overloaded");
      expect(limit.limit).toBe(expected);
    }
    for (let i = 0; i < 30; i++) {
      await clock.advance(1_000);
      await round(limit, "succeeded");
    }
    expect(limit.limit).toBeGreaterThanOrEqual(16);
  });

  it("is not raised by idle calls, nor by a second word of the same one", async () => {
    const clock = new FakeClock();
    const limit = new AdaptiveLimit({ min: 1, max: 20 }, undefined, clock);
    await round(limit, "overloaded");
    await clock.advance(1);
    for (let i = 0; i < 100; i++) {
      const permit = await limit.acquire();
      expect([permit.finish("succeeded"), permit.finish("succeeded")]).toEqual([true, false]);
    }
    expect([limit.limit, limit.inFlight]).toEqual([10, 0]);
  });
});

describe("outcome of an error", () => {
  const named = (name: string, more = {}) => Object.assign(new Error("no"), { name, ...more });

  it.each([
    [named("Error"), "failed"],
    [named("Error", { status: 500 }), "failed"],
    [named("AI_APICallError", { statusCode: 503 }), "overloaded"],
    [named("Error", { status: 429 }), "overloaded"],
    [named("TimeoutError"), "overloaded"],
    [named("Error", { status: 404 }), "rejected"],
    [named("AbortError"), "cancelled"],
    ["text", "failed"],
    [undefined, "failed"],
    [null, "failed"],
  ])("%s is %s", (error, outcome) => expect(outcomeOf(error)).toBe(outcome));

  it("is cancelled where the caller's signal was aborted, unless by a timeout", () => {
    expect(outcomeOf(named("Error"), AbortSignal.abort())).toBe("cancelled");
    expect(outcomeOf(named("TimeoutError"), AbortSignal.abort())).toBe("overloaded");
  });
});
