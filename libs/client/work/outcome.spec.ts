import { verdictOn } from "./outcome.js";

describe("what an error says of the service", () => {
  it.each([
    [429, "overloaded", true],
    [503, "overloaded", true],
    [529, "overloaded", true],
    [408, "overloaded", false],
    [504, "overloaded", false],
    [400, "rejected", true],
    [404, "rejected", true],
    [500, "failed", false],
    [502, "failed", false],
  ])("an answer of %i is %s, and it can have used nothing: %s", (status, outcome, refused) => {
    expect(verdictOn(Object.assign(new Error(), { status }))).toEqual({ outcome, refused });
    expect(verdictOn(Object.assign(new Error(), { statusCode: status }))).toEqual({ outcome, refused });
  });

  it.each([
    [Object.assign(new Error(), { name: "TimeoutError" }), "overloaded"],
    [new Error("no status"), "failed"],
    [undefined, "failed"],
    ["text", "failed"],
  ])("without an answer it may have used all", (error, outcome) => {
    expect(verdictOn(error)).toEqual({ outcome, refused: false });
  });
});
