import { Bounded, OTHER } from "./bounded.js";

it("a label has as many values as it may, and one for all others", () => {
  const bounded = new Bounded(2);
  expect(["a", "b", "a", "c", "d", "b"].map((value) => bounded.of(value))).toEqual(["a", "b", "a", OTHER, OTHER, "b"]);
});
