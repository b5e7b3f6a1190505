import { allowanceOf, askedWords, fitWords } from "./words.js";

describe("the words for a denial", () => {
  it("name the allowance that decided, also where several are counted together", () => {
    expect(allowanceOf({ scope: { kind: "job", id: "job_1" }, unit: "tokens" })).toBe("job allowance of tokens");
    expect(allowanceOf({ scope: { kind: "user", id: null }, unit: "calls" })).toBe(
      "user allowance of calls, several together",
    );
  });

  it("say what was asked", () => {
    const plan = { children: 3, attempts: 2, attemptCost: { tokens: 2_000 } };
    expect(askedWords({ plan })).toBe("3 children × 2 attempts × 2,000 tokens");
    expect(askedWords({ amounts: { tokens: 5, calls: 1 } })).toBe("5 tokens, 1 calls");
    expect(askedWords({ grant: { tokens: 5 } })).toBe("a grant of 5 tokens");
  });

  it("say what would have fitted", () => {
    expect(fitWords({ children: 1, attempts: 0 })).toBe("At most 1 child with all attempts would have fitted.");
    expect(fitWords({ children: 2, attempts: 1 })).toBe(
      "At most 2 children with all attempts, or 1 attempt a child with all children would have fitted.",
    );
    expect(fitWords({ children: 0, attempts: 0 })).toBe("Not one child would have fitted.");
    expect(fitWords({ amounts: { tokens: 40 } })).toBe("At most 40 tokens would have fitted.");
  });
});
