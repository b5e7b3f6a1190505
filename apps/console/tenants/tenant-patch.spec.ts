import { limitsWrong, patchOf, textsOf } from "./tenant-patch.js";

const TENANT = {
  name: "acme",
  enforcement: "enforce",
  jobAllowance: { tokens: 150, calls: 3 },
  userAllowance: { tokens: 0 },
} as const;

describe("the change of a tenant", () => {
  it("is nothing where nothing was changed", () => {
    expect(patchOf(TENANT, textsOf(TENANT))).toEqual({});
  });

  it("names what was changed alone, and takes away a limit that was emptied", () => {
    const texts = {
      ...textsOf(TENANT),
      name: " other ",
      enforcement: "observe",
      jobAllowance: { tokens: "", calls: "3" },
      userAllowance: { tokens: "0", calls: " 7 " },
    };
    expect(patchOf(TENANT, texts)).toEqual({
      name: "other",
      enforcement: "observe",
      jobAllowance: { tokens: null },
      userAllowance: { calls: 7 },
    });
  });

  it("is held back while a limit is none", () => {
    const jobAllowance = { tokens: "-1", calls: "1.5", units: "", usd_micros: "12" };
    expect([...limitsWrong({ ...textsOf(TENANT), jobAllowance })]).toEqual([
      "jobAllowance tokens",
      "jobAllowance calls",
    ]);
  });
});
