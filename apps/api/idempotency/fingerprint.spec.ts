import { canonicalJson, fingerprintOf } from "./fingerprint.js";

const body = {
  plan: { children: 3, attempts: 2, attemptCost: { tokens: 20, calls: 1 } },
  labels: { b: "ü", a: "\u2028" },
};

describe("fingerprint of a request", () => {
  it("is the same whatever the order of fields", () => {
    const turned = {
      labels: { a: "\u2028", b: "ü" },
      plan: { attemptCost: { calls: 1, tokens: 20 }, attempts: 2, children: 3 },
    };
    expect(fingerprintOf("POST", "/v1/jobs", turned)).toBe(fingerprintOf("POST", "/v1/jobs", body));
  });

  it("differs by method, path and every value", () => {
    const others = [
      fingerprintOf("PUT", "/v1/jobs", body),
      fingerprintOf("POST", "/v1/jobs/x", body),
      fingerprintOf("POST", "/v1/jobs", { ...body, labels: { a: "\u2028" } }),
      fingerprintOf("POST", "/v1/jobs", { ...body, plan: { ...body.plan, children: 4 } }),
      fingerprintOf("POST", "/v1/jobs", {}),
    ];
    expect(new Set([fingerprintOf("POST", "/v1/jobs", body), ...others]).size).toBe(6);
  });

  it("tells values apart that look alike", () => {
    const texts = [{ a: "1" }, { a: 1 }, { a: [1] }, { a: { 0: 1 } }, { "a:1": "" }, { a: null }, { a: true }].map(
      canonicalJson,
    );
    expect(new Set(texts).size).toBe(texts.length);
  });

  it("is valid JSON with the same value", () => {
    expect(JSON.parse(canonicalJson(body))).toEqual(body);
  });
});
