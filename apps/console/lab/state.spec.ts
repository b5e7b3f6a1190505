import { LAB_DEFAULTS } from "#libs/plan";
import { BASELINE, check, readAddress, stateOf, writeAddress, type LabState } from "./state.js";

const roundTrip = (state: LabState) => readAddress(new URLSearchParams(writeAddress(state).toString()));
const typed = (texts: Partial<LabState["texts"]>, step = 0): LabState => ({
  texts: { ...BASELINE.texts, ...texts },
  step,
});

describe("the address of the lab", () => {
  it("is bare for the baseline, which it also means", () => {
    expect(writeAddress(BASELINE).toString()).toBe("");
    expect(readAddress(new URLSearchParams())).toEqual(stateOf(LAB_DEFAULTS));
  });

  it.each([
    typed({ jobs: "9", mode: "observe" }, 4),
    typed({}, 3),
    typed({ children: "", cost: "1e3", jobAllowance: "&jobs=1#", mode: "<b>" }),
  ])("carries everything that was on the screen, also what is no input: %j", (state) => {
    expect(roundTrip(state)).toEqual(state);
  });

  it("names every input once it names one, so that a link outlives other defaults", () => {
    expect([...writeAddress(typed({ jobs: "7" })).keys()]).toEqual(Object.keys(LAB_DEFAULTS));
  });

  it.each(["-1", "1.5", "x", "", "99999"])("takes the step %s for a trace that was not started", (step) => {
    expect(readAddress(new URLSearchParams({ step })).step).toBe(0);
  });
});

describe("what was typed", () => {
  it("is an input without the blanks around it", () => {
    expect(check(typed({ jobs: " 8 " })).inputs).toEqual({ ...LAB_DEFAULTS, jobs: 8 });
  });

  it("is refused beside each field, with its range", () => {
    const { inputs, errors } = check(typed({ jobs: "0", cost: "-5", mode: "off" }));
    expect(inputs).toBeNull();
    expect(errors).toEqual({
      jobs: "Must be a whole number from 1 to 100",
      cost: "Must be a whole number from 1 to 10000",
      mode: "Must be enforce or observe",
    });
  });
});
