import { LAB_DEFAULTS, type LabInputs, runModel } from "#libs/plan";
import { sentenceOf, suggestionsOf } from "./words.js";

const decision = (job: number, inputs: Partial<LabInputs> = {}) =>
  runModel({ ...LAB_DEFAULTS, ...inputs }).decisions[job - 1]!;

describe("the words for a decision", () => {
  it("say which allowance decided and what was left", () => {
    expect(sentenceOf(decision(1))).toBe("Job 1 is admitted: it fits both allowances. The tenant has 380 left.");
    expect(sentenceOf(decision(5))).toBe(
      "Job 5 is denied by the tenant allowance: 20 of 500 left, 120 asked. The tenant has 20 left.",
    );
    expect(sentenceOf(decision(1, { jobAllowance: 100 }))).toContain(
      "denied by the job allowance: 100 of 100 left, 120 asked; it can never fit.",
    );
  });

  it("say in observe how far the tenant is over", () => {
    expect(sentenceOf(decision(6, { mode: "observe" }))).toMatch(/^Job 6 runs, but would be denied by .* 220 over\.$/);
  });

  it("advise what fits, and nothing where the job fitted", () => {
    expect(suggestionsOf(decision(1), LAB_DEFAULTS)).toEqual([]);
    expect(suggestionsOf(decision(1, { jobAllowance: 100 }), LAB_DEFAULTS)).toEqual([
      { text: "2 children instead of 3 would fit.", change: { children: 2 } },
      { text: "1 attempt a child instead of 2 would fit.", change: { attempts: 1 } },
    ]);
    expect(suggestionsOf(decision(5), LAB_DEFAULTS)).toEqual([
      { text: "Only 1 child with one attempt each would fit.", change: { children: 1, attempts: 1 } },
    ]);
    const little = { ...LAB_DEFAULTS, tenantAllowance: 490 };
    expect(suggestionsOf(decision(5, little), little)).toEqual([
      { text: "Nothing of it would fit, not even one attempt of one child.", change: null },
    ]);
  });
});
