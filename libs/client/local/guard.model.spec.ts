import { OUTCOMES, type Outcome } from "#libs/flow/machines";
import fc from "fast-check";
import { FakeClock } from "../../../test/support/fake-clock.js";
import { AdaptiveLimit, Breaker, type Permit } from "./index.js";

const outcome = fc.constantFrom("succeeded", "failed", ...OUTCOMES);
const step = fc.oneof(
  fc.constant({ do: "start" as const }),
  fc.record({ do: fc.constant("finish" as const), which: fc.nat(20), outcome }),
  fc.record({ do: fc.constant("pass" as const), ms: fc.integer({ min: 1, max: 600 }) }),
);

/** Long enough to open, half-open and close it several times. */
const steps = fc.array(step, { minLength: 60, maxLength: 200, size: "max" });

const LIMITS = { failures: 3, windowMs: 1_000, resetMs: 500, probes: 2 };

interface Run {
  readonly permit: Permit;
  /** How often the breaker had opened or closed when it was let through. */
  readonly era: number;
  readonly at: number;
}

/** What a breaker should do, told by the calls that run and the times of failures. */
class BreakerModel {
  era = 0;
  private openedAt: number | null = null;
  private succeeded = 0;
  private failures: number[] = [];

  phase(now: number): string {
    if (this.openedAt === null) return "closed";
    return now < this.openedAt + LIMITS.resetMs ? "open" : "half_open";
  }

  mayStart(running: readonly Run[], now: number): boolean {
    if (this.phase(now) !== "half_open") return this.phase(now) === "closed";
    const probing = running.filter((run) => this.isProbing(run, now)).length;
    return probing === 0 || probing + this.succeeded < LIMITS.probes;
  }

  finished(run: Run, outcome: Outcome, now: number): void {
    if (run.era !== this.era) return;
    const speaksAgainst = outcome === "failed" || outcome === "overloaded";
    if (this.phase(now) === "closed") {
      if (speaksAgainst) this.failures = [...this.failures, now].filter((at) => at > now - LIMITS.windowMs);
      if (this.failures.length >= LIMITS.failures) this.renew(now);
    } else if (this.isProbing(run, now)) {
      if (speaksAgainst) this.renew(now);
      else if (outcome === "succeeded" && (this.succeeded += 1) >= LIMITS.probes) this.renew(null);
    }
  }

  /** A probe that is not answered in time gives its place to another. */
  private isProbing({ era, at }: Run, now: number): boolean {
    return era === this.era && at + LIMITS.resetMs > now;
  }

  private renew(openedAt: number | null): void {
    [this.era, this.openedAt, this.succeeded, this.failures] = [this.era + 1, openedAt, 0, []];
  }
}

describe("breaker", () => {
  it("opens, lets its probes through and closes as its model does", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const clock = new FakeClock();
        const breaker = new Breaker(LIMITS, clock);
        const model = new BreakerModel();
        const running: Run[] = [];
        for (const one of all) {
          const now = clock.now();
          expect(breaker.phase).toBe(model.phase(now));
          if (one.do === "pass") await clock.advance(one.ms);
          else if (one.do === "start") {
            const permit = await breaker.acquire().catch(() => undefined);
            expect(permit !== undefined).toBe(model.mayStart(running, now));
            if (permit) running.push({ permit, era: model.era, at: now });
          } else if (running.length > 0) {
            const [run] = running.splice(one.which % running.length, 1) as [Run];
            run.permit.finish(one.outcome);
            model.finished(run, one.outcome, now);
          }
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe("adaptive limit", () => {
  it("stays within its bounds, lets no more in than it says, and moves by halves down and by at most one up", async () => {
    const bounds = fc.record({ min: fc.integer({ min: 1, max: 4 }), max: fc.integer({ min: 4, max: 12 }) });
    await fc.assert(
      fc.asyncProperty(bounds, steps, async ({ min, max }, all) => {
        const clock = new FakeClock();
        const limit = new AdaptiveLimit({ min, max }, undefined, clock);
        const running: Permit[] = [];
        for (const one of all) {
          const before = limit.limit;
          if (one.do === "pass") await clock.advance(one.ms);
          else if (one.do === "start") {
            const permit = await limit.acquire().catch(() => undefined);
            expect(permit !== undefined).toBe(running.length < before);
            if (permit) running.push(permit);
          } else if (running.length > 0) {
            const [permit] = running.splice(one.which % running.length, 1);
            permit!.finish(one.outcome);
            const lowest = one.outcome === "overloaded" ? Math.max(min, Math.floor(before / 2)) : before;
            const highest = one.outcome === "succeeded" ? Math.min(max, before + 1) : before;
            expect(limit.limit).toBeGreaterThanOrEqual(lowest);
            expect(limit.limit).toBeLessThanOrEqual(highest);
          }
          expect(limit.inFlight).toBe(running.length);
        }
      }),
      { numRuns: 40 },
    );
  });
});
