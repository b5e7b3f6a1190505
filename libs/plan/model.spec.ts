import fc from "fast-check";
import { LAB_DEFAULTS, LAB_MODES, LAB_NUMBERS, LAB_RANGES, type LabInputs } from "./inputs.js";
import { runModel } from "./model.js";

const run = (changes: Partial<LabInputs> = {}) => runModel({ ...LAB_DEFAULTS, ...changes });

/** Small figures, so that every kind of decision is common; the ends of the ranges have tests of their own. */
const inputs: fc.Arbitrary<LabInputs> = fc.record({
  jobs: fc.integer({ min: 1, max: 20 }),
  children: fc.integer({ min: 1, max: 6 }),
  attempts: fc.integer({ min: 1, max: 4 }),
  cost: fc.integer({ min: 1, max: 30 }),
  jobAllowance: fc.integer({ min: 0, max: 600 }),
  tenantAllowance: fc.integer({ min: 0, max: 3000 }),
  mode: fc.constantFrom(...LAB_MODES),
});

describe("the known experiments that deny", () => {
  it("baseline: a job plans 120, four of six are admitted with 480, the tenant denies two", () => {
    const { perJobPlanned, decisions, totals } = run();
    expect(perJobPlanned).toBe(120);
    const outcomes = decisions.map(({ outcome }) => outcome);
    expect(outcomes).toEqual(["admitted", "admitted", "admitted", "admitted", "denied", "denied"]);
    expect(decisions[4]).toEqual({
      step: 5,
      job: 5,
      planned: 120,
      outcome: "denied",
      code: "allowance_exhausted",
      scope: "tenant",
      before: {
        job: { limit: 150, reserved: 0, spent: 0, available: 150, overage: 0 },
        tenant: { limit: 500, reserved: 480, spent: 0, available: 20, overage: 0 },
      },
      after: {
        job: { limit: 150, reserved: 0, spent: 0, available: 150, overage: 0 },
        tenant: { limit: 500, reserved: 480, spent: 0, available: 20, overage: 0 },
      },
      advice: { maxChildren: 0, maxAttempts: 0 },
    });
    expect(totals).toEqual({
      planned: 720,
      admitted: 4,
      denied: 2,
      observed: 0,
      reserved: 480,
      consumed: 480,
      overAllowance: 0,
    });
  });

  it("observe: six run with 720, which is 220 over the allowance, and two are marked", () => {
    const { decisions, totals, settled } = run({ mode: "observe" });
    expect(totals).toMatchObject({
      admitted: 6,
      denied: 0,
      observed: 2,
      reserved: 720,
      consumed: 720,
      overAllowance: 220,
    });
    expect(decisions.map(({ outcome, code }) => [outcome, code]).slice(3)).toEqual([
      ["admitted", null],
      ["observed", "allowance_exhausted"],
      ["observed", "allowance_exhausted"],
    ]);
    expect(decisions[5]?.before.tenant).toEqual({ limit: 500, reserved: 600, spent: 0, available: 0, overage: 100 });
    expect(settled).toEqual({ limit: 500, reserved: 0, spent: 720, available: 0, overage: 220 });
  });

  it("job allowance 100: none is admitted, each is denied by the job, and two children or one attempt would fit", () => {
    const { decisions, totals } = run({ jobAllowance: 100 });
    expect(totals).toMatchObject({ planned: 720, admitted: 0, denied: 6, reserved: 0, consumed: 0, overAllowance: 0 });
    for (const decision of decisions) {
      expect(decision).toMatchObject({ outcome: "denied", code: "exceeds_limit", scope: "job" });
      expect(decision.advice).toEqual({ maxChildren: 2, maxAttempts: 1 });
    }
  });
});

describe("the known experiments that pass, and the edges", () => {
  it("two children: 80 a job, all six, 480", () => {
    expect(run({ children: 2 })).toMatchObject({
      perJobPlanned: 80,
      totals: { admitted: 6, denied: 0, reserved: 480 },
    });
  });

  it("one attempt: 60 a job, all six, 360", () => {
    expect(run({ attempts: 1 })).toMatchObject({
      perJobPlanned: 60,
      totals: { admitted: 6, denied: 0, reserved: 360 },
    });
  });

  it("a plan above the tenant allowance and within the job allowance can never fit the tenant", () => {
    const [decision] = run({ tenantAllowance: 119 }).decisions;
    expect(decision).toMatchObject({
      code: "exceeds_limit",
      scope: "tenant",
      advice: { maxChildren: 2, maxAttempts: 1 },
    });
  });

  it("a plan that no scope can ever hold is denied by the narrowest, the job", () => {
    expect(run({ jobAllowance: 0, tenantAllowance: 0 }).decisions[0]).toMatchObject({
      code: "exceeds_limit",
      scope: "job",
    });
  });

  it("the ends of all ranges stay exact", () => {
    const largest = Object.fromEntries(LAB_NUMBERS.map((name) => [name, LAB_RANGES[name].max]));
    expect(run({ ...largest, mode: "observe" }).totals).toMatchObject({
      planned: 2_000_000_000,
      consumed: 2_000_000_000,
      overAllowance: 1_990_000_000,
    });
  });

  it("throws for inputs out of range", () => {
    expect(() => run({ jobs: 0 })).toThrow("jobs must be a whole number from 1 to 100");
  });
});

describe("the steps of any experiment", () => {
  it("decides each job once, in order, and each step begins where the one before ended", () => {
    fc.assert(
      fc.property(inputs, (given) => {
        const { decisions } = runModel(given);
        expect(decisions.map(({ step }) => step)).toEqual(Array.from({ length: given.jobs }, (_, index) => index + 1));
        decisions.slice(1).forEach((decision, index) => {
          expect(decision.before.tenant).toEqual(decisions[index]?.after.tenant);
        });
      }),
    );
  });

  it("never passes an allowance in enforce, and a denial changes nothing", () => {
    fc.assert(
      fc.property(inputs, (given) => {
        const { decisions, totals } = runModel({ ...given, mode: "enforce" });
        for (const { outcome, before, after } of decisions) {
          expect(after.tenant.overage + after.job.overage).toBe(0);
          if (outcome === "denied") expect(after).toEqual(before);
        }
        expect(totals.overAllowance).toBe(0);
        expect(totals.reserved).toBeLessThanOrEqual(given.tenantAllowance);
      }),
    );
  });

  it("denies nothing in observe, and marks a job exactly when an allowance was passed", () => {
    fc.assert(
      fc.property(inputs, (given) => {
        const { decisions, totals, perJobPlanned } = runModel({ ...given, mode: "observe" });
        expect(totals).toMatchObject({ admitted: given.jobs, denied: 0, consumed: perJobPlanned * given.jobs });
        for (const { outcome, after } of decisions) {
          expect(outcome === "observed").toBe(after.tenant.overage + after.job.overage > 0);
        }
      }),
    );
  });
});

describe("the totals and the advice of any experiment", () => {
  it("admits as many jobs as the allowances hold, and consumes their plans", () => {
    fc.assert(
      fc.property(inputs, (given) => {
        const { totals, perJobPlanned, settled } = runModel({ ...given, mode: "enforce" });
        const held = perJobPlanned > given.jobAllowance ? 0 : Math.floor(given.tenantAllowance / perJobPlanned);
        expect(totals.admitted).toBe(Math.min(given.jobs, held));
        expect(totals.admitted + totals.denied).toBe(given.jobs);
        expect(totals.consumed).toBe(totals.admitted * perJobPlanned);
        expect(totals.consumed).toBe(totals.reserved);
        expect(settled).toMatchObject({ reserved: 0, spent: totals.consumed });
      }),
    );
  });

  it("gives advice exactly with a reason, and a run that follows it fits at that step", () => {
    fc.assert(
      fc.property(inputs, (given) => {
        for (const { code, scope, advice, before } of runModel(given).decisions) {
          expect([code === null, scope === null]).toEqual([advice === null, advice === null]);
          if (advice === null) continue;
          const left = Math.min(before.job.available, before.tenant.available);
          expect(advice.maxChildren * given.attempts * given.cost).toBeLessThanOrEqual(left);
          expect(advice.maxAttempts * given.children * given.cost).toBeLessThanOrEqual(left);
          expect(advice.maxChildren).toBeLessThan(given.children);
          expect(advice.maxAttempts).toBeLessThan(given.attempts);
        }
      }),
    );
  });

  it("is the same every time", () => {
    fc.assert(
      fc.property(inputs, (given) => {
        expect(runModel(given)).toEqual(runModel(given));
      }),
    );
  });
});
