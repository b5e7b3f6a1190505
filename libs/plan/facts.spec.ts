import { type Measured, differencesBetween, predicted } from "./facts.js";
import { LAB_DEFAULTS, type LabMode } from "./inputs.js";
import { runModel } from "./model.js";

const model = (mode: LabMode = "enforce") => runModel({ ...LAB_DEFAULTS, mode });
const faithful = (mode: LabMode = "enforce"): Measured => {
  const { decisions, totals, settled } = model(mode);
  return { decisions: decisions.map(predicted), totals, settled };
};

describe("the facts of a decision", () => {
  it("carry the figures of the scope that decided", () => {
    expect(faithful().decisions[4]).toEqual({
      job: 5,
      outcome: "denied",
      requested: 120,
      scope: "tenant",
      code: "allowance_exhausted",
      limit: 500,
      spent: 0,
      reserved: 480,
      available: 20,
      maxChildren: 0,
      tenantReserved: 480,
      tenantSpent: 0,
      tenantAvailable: 20,
      tenantOverage: 0,
    });
  });

  it("carry no figures of a scope when the job fitted", () => {
    expect(faithful().decisions[0]).toMatchObject({ outcome: "admitted", scope: null, limit: null, maxChildren: null });
  });
});

describe("a comparison", () => {
  it.each<LabMode>(["enforce", "observe"])("finds nothing where the run did what the model predicts: %s", (mode) => {
    expect(differencesBetween(faithful(mode), model(mode))).toEqual([]);
  });

  const fields = Object.keys(faithful().decisions[4] ?? {});
  it.each(fields)("finds a decision whose %s differs", (field) => {
    const run = faithful();
    const decisions = run.decisions.map((facts) => (facts.job === 5 ? { ...facts, [field]: "other" } : facts));
    expect(differencesBetween({ ...run, decisions }, model())).toMatchObject([
      { where: "job 5", field, measured: "other" },
    ]);
  });

  it("finds a decision that is missing, and one too many", () => {
    const run = faithful();
    const [first] = run.decisions;
    const gone = { where: "job 6", field: "decision", measured: "missing", model: "made" };
    expect(differencesBetween({ ...run, decisions: run.decisions.slice(0, 5) }, model())).toEqual([gone]);
    const extra = { where: "job 7", field: "decision", measured: "made", model: "missing" };
    expect(first && differencesBetween({ ...run, decisions: [...run.decisions, first] }, model())).toEqual([extra]);
  });

  it.each(Object.keys(model().totals))("finds totals whose %s differs", (field) => {
    const run = faithful();
    const totals = { ...run.totals, [field]: -1 };
    expect(differencesBetween({ ...run, totals }, model())).toMatchObject([{ where: "totals", field }]);
  });

  it.each(Object.keys(model().settled))("finds final figures whose %s differs", (field) => {
    const run = faithful();
    const settled = { ...run.settled, [field]: -1 };
    expect(differencesBetween({ ...run, settled }, model())).toMatchObject([{ where: "after settlement", field }]);
  });
});
