import { LAB_DEFAULTS, runModel } from "#libs/plan";
import { MOST_BYTES, readFile, writeFile } from "./file.js";
import { PRESETS } from "./presets.js";

const file = writeFile(runModel(LAB_DEFAULTS));
const changed = (change: object): string => JSON.stringify({ ...JSON.parse(file), ...change });
const reason = (text: string): string => {
  const read = readFile(text);
  return read.ok ? "" : read.reason;
};

describe("a file of the lab", () => {
  it.each(PRESETS)("gives back the inputs it was saved with: $title", ({ inputs }) => {
    expect(readFile(writeFile(runModel(inputs)))).toEqual({ ok: true, inputs });
  });

  it("is the same file with its members in another order", () => {
    const { steps, outcomes, inputs, ...rest } = JSON.parse(file);
    expect(readFile(JSON.stringify({ outcomes, ...rest, steps, inputs })).ok).toBe(true);
  });

  it("of the largest run can be read", () => {
    const inputs = {
      ...LAB_DEFAULTS,
      jobs: 100,
      children: 100,
      attempts: 20,
      cost: 10_000,
      tenantAllowance: 9_999_999,
    };
    expect(readFile(writeFile(runModel(inputs)))).toEqual({ ok: true, inputs });
  });

  it.each([
    ["", "not JSON"],
    ["nonsense", "not JSON"],
    ["[1]", "no object"],
    ["null", "no object"],
    ["{}", '"format" is not'],
    [changed({ format: "other" }), '"format" is not'],
    [changed({ version: 2 }), '"version" must be 1'],
    [changed({ inputs: undefined }), "inputs must be an object"],
    [changed({ inputs: { ...LAB_DEFAULTS, jobs: 101 } }), "jobs must be a whole number from 1 to 100"],
    [changed({ inputs: { ...LAB_DEFAULTS, jobs: "6" } }), "jobs must be a whole number"],
    [changed({ inputs: { ...LAB_DEFAULTS, hidden: 1 } }), "hidden is not an input"],
    [changed({ inputs: { ...LAB_DEFAULTS, jobs: 7 } }), '"outcomes" does not follow'],
    [changed({ steps: [] }), '"steps" does not follow'],
    [changed({ more: 1 }), '"more" does not follow'],
    [`"${"a".repeat(MOST_BYTES)}"`, "larger than any file"],
  ])("is refused with the reason: %.40s", (text, expected) => {
    expect(reason(text)).toContain(expected);
  });
});
