import { choicesOf } from "./choices.js";

describe("the options of the chaos test", () => {
  it("are a minute with one Redis where nothing is said", () => {
    expect(choicesOf([])).toEqual({ seed: expect.any(Number), seconds: 60, runs: 1, redis: "pair", fault: "" });
  });

  it("are taken as they are given", () => {
    const args = ["--seed", "7", "--seconds", "15", "--runs", "2", "--redis", "cluster", "--fault", "a node"];
    expect(choicesOf(args)).toEqual({ seed: 7, seconds: 15, runs: 2, redis: "cluster", fault: "a node" });
  });

  it.each([
    ["an unknown option", ["--nope"]],
    ["a stray word", ["stray"]],
    ["an option without its value", ["--seed"]],
    ["a value that is no number", ["--seconds", "x"]],
    ["no run at all", ["--runs", "0"]],
    ["another Redis", ["--redis", "constructor"]],
    ["a fault that there is not", ["--fault", "zz"]],
  ])("are refused with %s", (_, args) => {
    expect(choicesOf(args)).toBeNull();
  });
});
