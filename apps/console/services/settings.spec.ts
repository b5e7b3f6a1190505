import { allowancePointer, allowanceTextsOf, settingsOf, textsOf, wrongIn } from "./settings.js";

const SETTINGS = {
  ratePerSecond: 1.5,
  burst: 3,
  concurrency: 0,
  queue: { max: 5, maxWaitMs: 1_000 },
  breaker: { failures: 5, windowMs: 10_000, resetMs: 5_000, probes: 2 },
  adaptive: { min: 1, max: 9 },
};
const ALLOWANCES = {
  tokens: { limit: 500, period: "day", timeZone: "Europe/Paris" },
  calls: { limit: "unlimited", period: "none", timeZone: "UTC" },
} as const;

describe("the settings of a service, as typed", () => {
  it("say again what they were made of", () => {
    expect(wrongIn(textsOf(SETTINGS), allowanceTextsOf(ALLOWANCES))).toEqual({});
    expect(settingsOf(textsOf(SETTINGS), allowanceTextsOf(ALLOWANCES))).toEqual({
      ...SETTINGS,
      allowances: { ...ALLOWANCES, calls: { limit: "unlimited", period: "none" } },
    });
    expect(settingsOf(textsOf({}), [])).toEqual({});
  });

  it("leave out what is empty, and a group only with all its fields", () => {
    const texts = { ...textsOf(SETTINGS), "/burst": " ", "/queue/max": "", "/adaptive/min": "", "/adaptive/max": "" };
    const { burst: _, adaptive: __, ...others } = SETTINGS;
    expect(settingsOf(texts, [])).toEqual({ ...others, queue: { maxWaitMs: 1_000 } });
  });

  it("are held back while they are no numbers", () => {
    const texts = { "/ratePerSecond": "1.2345", "/burst": "1.5", "/queue/max": "many", "/concurrency": " 4 " };
    expect(Object.keys(wrongIn(texts, []))).toEqual(["/ratePerSecond", "/burst", "/queue/max"]);
  });

  it("are held back while an allowance has no unit, one that stands above, or no limit", () => {
    const row = { limit: "5", period: "none", timeZone: "UTC" };
    const rows = [
      { ...row, id: 0, unit: "tokens" },
      { ...row, id: 1, unit: "tokens" },
      { ...row, id: 2, unit: "A" },
      { ...row, id: 3, unit: "calls", limit: "-1" },
    ];
    expect(Object.keys(wrongIn({}, rows))).toEqual(["unit 1", "unit 2", "limit 3"]);
    expect(allowancePointer("tokens", "limit")).toBe("/allowances/tokens/limit");
  });
});
