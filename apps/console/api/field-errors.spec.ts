import { ApiProblem } from "./call.js";
import { fieldErrorsOf, pointerPart } from "./field-errors.js";

const problem = (errors: unknown): ApiProblem => new ApiProblem(400, "validation_failed", "no", null, { errors });

describe("what is wrong with the fields of a request", () => {
  it("is told by pointer, the first message of each", () => {
    const errors = [
      { pointer: "/limit", message: "must be a number" },
      { pointer: "/limit", message: "is required" },
      { pointer: "", message: "is no object" },
    ];
    expect(fieldErrorsOf(problem(errors))).toEqual({ "/limit": "must be a number", "": "is no object" });
  });

  it("is nothing where the answer names none, or is no answer of the API", () => {
    for (const errors of [undefined, "a", [null, 5, {}, { pointer: 5, message: "a" }]]) {
      expect(fieldErrorsOf(problem(errors))).toEqual({});
    }
    expect(fieldErrorsOf(new Error("lost"))).toEqual({});
  });

  it("is found by a name that a pointer has to escape", () => {
    expect(pointerPart("a/b~c")).toBe("a~1b~0c");
  });
});
