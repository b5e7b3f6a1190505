import fc from "fast-check";
import { type Figures, type ScopeKind, SCOPES_NARROWEST_FIRST, denialOf, figures } from "./decide.js";

const amount = fc.nat(1000);
const standing = fc.tuple(amount, amount, amount).map(([limit, reserved, spent]) => figures(limit, reserved, spent));
const standings: fc.Arbitrary<Partial<Record<ScopeKind, Figures>>> = fc.record(
  { job: standing, user: standing, tenant: standing, service: standing },
  { requiredKeys: [] },
);

describe("figures", () => {
  it("shows what is left, or what is over, never a negative figure", () => {
    expect(figures(500, 120, 60)).toEqual({ limit: 500, reserved: 120, spent: 60, available: 320, overage: 0 });
    expect(figures(100, 0, 180)).toEqual({ limit: 100, reserved: 0, spent: 180, available: 0, overage: 80 });
  });
});

describe("a decision", () => {
  it("admits what exactly fits and denies one more", () => {
    expect(denialOf({ tenant: figures(100, 40, 50) }, 10)).toBeNull();
    expect(denialOf({ tenant: figures(100, 40, 50) }, 11)).toEqual({ scope: "tenant", code: "allowance_exhausted" });
  });

  it("admits 0 where nothing is left, and denies 1", () => {
    expect(denialOf({ tenant: figures(0, 0, 0) }, 0)).toBeNull();
    expect(denialOf({ tenant: figures(100, 0, 180) }, 0)).toBeNull();
    expect(denialOf({ tenant: figures(0, 0, 0) }, 1)).toEqual({ scope: "tenant", code: "exceeds_limit" });
  });

  it("names the narrowest of several that deny", () => {
    const full = figures(100, 100, 0);
    expect(denialOf({ service: full, tenant: full, user: full, job: full }, 1)?.scope).toBe("job");
    expect(denialOf({ service: full, tenant: full, user: full }, 1)?.scope).toBe("user");
    expect(denialOf({ service: full, tenant: full }, 1)?.scope).toBe("tenant");
    expect(denialOf({ service: full }, 1)?.scope).toBe("service");
  });

  it("names a scope that can never hold the request before a narrower one that is only exhausted", () => {
    const scopes = { job: figures(100, 100, 0), tenant: figures(50, 0, 0), service: figures(40, 0, 0) };
    expect(denialOf(scopes, 60)).toEqual({ scope: "tenant", code: "exceeds_limit" });
  });

  it("is a denial exactly when some scope has too little left, and names one of those", () => {
    fc.assert(
      fc.property(standings, amount, (scopes, requested) => {
        const denying = SCOPES_NARROWEST_FIRST.filter((kind) => requested > (scopes[kind]?.available ?? requested));
        const denial = denialOf(scopes, requested);
        if (denying.length === 0) return denial === null;
        if (denial === null || !denying.includes(denial.scope)) return false;
        const hopeless = denying.some((kind) => requested > (scopes[kind]?.limit ?? requested));
        return (denial.code === "exceeds_limit") === hopeless;
      }),
    );
  });
});
