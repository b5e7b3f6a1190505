import { ApiProblem } from "./call.js";
import { explain } from "./remedy.js";

it("does not call a change undone whose outcome is not known", () => {
  const { remedy } = explain(new ApiProblem(503, "ledger_unavailable", "The record cannot be reached.", 1, {}));
  expect(remedy).toContain("whether a change took effect is not known");
  expect(remedy).toContain("Try again after 1 s.");
});
