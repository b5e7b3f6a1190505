import fc from "fast-check";
import type { Scope } from "#libs/plan";
import { balanceKey, parseBalanceKey, unitOfKey } from "./balance.js";

const unit = fc.stringMatching(/^[a-z][a-z0-9_]{0,31}$/);
const window = fc.constantFrom("none", "day@2026-05-12T00:00:00.000Z", "hour@2026-05-12T12:30:00.000Z");
/** Names that try to look like the rest of a key. */
const name = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1 }),
  fc
    .array(fc.constantFrom(":", "%", "%3A", "tokens", "none", "a", "/", "{", "}", "é", "💰", " "), { minLength: 1 })
    .map((parts) => parts.join("")),
);
const scope: fc.Arbitrary<Scope> = fc.record({ kind: fc.constantFrom("service", "tenant", "user", "job"), id: name });
const place = fc.record({ scope, unit, window });

describe("the key of a balance", () => {
  it("is kind, encoded id, unit and window", () => {
    expect(balanceKey({ kind: "user", id: "a:b c" }, "tokens", "day@2026-05-12T00:00:00.000Z")).toBe(
      "user:a%3Ab%20c:tokens:day@2026-05-12T00:00:00.000Z",
    );
  });

  it("tells a:b + c from a + b:c", () => {
    const first = balanceKey({ kind: "user", id: "a:tokens" }, "none", "none");
    expect(balanceKey({ kind: "user", id: "a" }, "tokens", "none:none")).not.toBe(first);
    expect(balanceKey({ kind: "user", id: "a%3Atokens" }, "none", "none")).not.toBe(first);
  });

  it("leads back to all that it was made of, so two balances never meet on one key", () => {
    fc.assert(
      fc.property(place, (one) => {
        const key = balanceKey(one.scope, one.unit, one.window);
        const own = one.scope.kind === "service" ? { ...one, scope: { ...one.scope, tenantId: "ten_1" } } : one;
        expect(parseBalanceKey("ten_1", key)).toEqual(own);
        expect(parseBalanceKey("service:a", key)).toEqual(one);
        expect(unitOfKey(key)).toBe(one.unit);
      }),
      { numRuns: 2_000 },
    );
  });

  it("is printable without spaces or braces, so that it cannot close a cluster's {tag}", () => {
    fc.assert(fc.property(place, (one) => /^[!-z|~]+$/.test(balanceKey(one.scope, one.unit, one.window))));
  });

  it.each(["", "tenant", "tenant:a", "tenant:a:tokens"])("is not %p", (text) => {
    expect(() => parseBalanceKey("ten_1", text)).toThrow("not a balance key");
  });
});
