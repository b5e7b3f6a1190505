import { fileURLToPath } from "node:url";
import { simulate } from "./mutant.js";
import { Simulation } from "./simulation.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

describe("simulated processes, stores, clients and faults", () => {
  it("keep every guarantee in 2 000 runs, and leave nobody without the room that is there", async () => {
    const { code, output } = await simulate(root, ["--seeds", "2000"]);
    expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/^seeds +2000$/m) as unknown });
  }, 600_000);

  it("are the same for the same seed, to the last step", async () => {
    const runs = async () => {
      const results = [];
      for (const seed of [1, 2, 3, 119]) results.push(await new Simulation(seed).run());
      return results;
    };
    const [first, second] = [await runs(), await runs()];
    expect(second).toEqual(first);
    expect(new Set(first.map(({ fingerprint }) => fingerprint)).size).toBe(first.length);
  });
});
