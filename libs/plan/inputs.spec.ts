import { LAB_DEFAULTS, LAB_NUMBERS, LAB_RANGES, parseWhole, readInputs, validateInputs } from "./inputs.js";

describe("inputs of the lab", () => {
  it("default to the baseline", () => {
    expect(readInputs({})).toEqual({
      ok: true,
      inputs: { jobs: 6, children: 3, attempts: 2, cost: 20, jobAllowance: 150, tenantAllowance: 500, mode: "enforce" },
    });
  });

  it.each(LAB_NUMBERS)("accept both ends of the range of %s and refuse what is beyond, stating the range", (name) => {
    const { min, max } = LAB_RANGES[name];
    const message = `must be a whole number from ${min} to ${max}`;
    for (const value of [min, max]) {
      expect(validateInputs({ ...LAB_DEFAULTS, [name]: value })).toMatchObject({ ok: true, inputs: { [name]: value } });
    }
    for (const value of [min - 1, max + 1]) {
      expect(validateInputs({ ...LAB_DEFAULTS, [name]: value })).toEqual({
        ok: false,
        errors: [{ field: name, message }],
      });
    }
  });

  it.each([undefined, null, "6", 1.5, Number.NaN, Number.POSITIVE_INFINITY, true, [6], 6n])(
    "are not coerced: %p is no number of jobs",
    (jobs) => {
      expect(validateInputs({ ...LAB_DEFAULTS, jobs })).toMatchObject({ ok: false, errors: [{ field: "jobs" }] });
    },
  );

  it.each([undefined, null, "Enforce", "", 1])("know two modes, and %p is neither", (mode) => {
    const errors = [{ field: "mode", message: "must be enforce or observe" }];
    expect(validateInputs({ ...LAB_DEFAULTS, mode })).toEqual({ ok: false, errors });
  });

  it("report every field that is wrong, unknown ones too", () => {
    const result = validateInputs({
      jobs: 0,
      children: 3,
      attempts: 2,
      cost: 20,
      jobAllowance: 150,
      mode: "x",
      toString: 1,
    });
    expect(result.ok).toBe(false);
    const fields = result.ok ? [] : result.errors.map(({ field }) => field);
    expect(fields).toEqual(["jobs", "tenantAllowance", "mode", "toString"]);
  });

  it.each([null, [], "x", 6, undefined])("are an object, which %p is not", (value) => {
    expect(validateInputs(value)).toMatchObject({ ok: false, errors: [{ field: "inputs" }] });
  });

  it("turn the minus zero of a file into 0", () => {
    const result = validateInputs({ ...LAB_DEFAULTS, jobAllowance: JSON.parse("-0") as unknown });
    expect(result.ok && Object.is(result.inputs.jobAllowance, 0)).toBe(true);
  });
});

describe("whole numbers as text", () => {
  it.each([
    ["0", 0],
    ["100", 100],
    ["9007199254740991", Number.MAX_SAFE_INTEGER],
  ])("reads %p", (text, value) => expect(parseWhole(text)).toBe(value));

  const refused = [
    "",
    " ",
    "1e3",
    "0x10",
    "1.5",
    "1.0",
    "-1",
    "-0",
    "+1",
    "007",
    " 6",
    "6 ",
    "6\n",
    "1_000",
    "1,000",
    "٦",
    "NaN",
  ];
  it.each([...refused, "9007199254740992"])("refuses %p", (text) => {
    expect(parseWhole(text)).toBeNull();
    expect(readInputs({ jobs: text })).toMatchObject({ ok: false, errors: [{ field: "jobs" }] });
  });
});
