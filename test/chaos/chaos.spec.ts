import { seedOfRun } from "../support/services.js";
import { HEADER, row } from "./report.js";
import { run, type Options } from "./run.js";
import { faultsFor, SHORT } from "./schedule.js";
import type { World } from "./world.js";

let world: World | undefined;

afterEach(() => world?.stop());

async function expectNothingFound(options: Omit<Options, "seed" | "pace" | "rounds">): Promise<void> {
  const seed = seedOfRun();
  const result = await run({ ...options, seed, pace: SHORT, rounds: 1 }, (started) => (world = started));
  console.log(`TEST_SEED=${seed}\n${HEADER}\n${row(result)}`);
  expect({ seed, findings: result.findings }).toEqual({ seed, findings: [] });
  expect(new Set(result.faults)).toEqual(new Set(faultsFor(options.redis).map(({ name }) => name)));
  expect(result.acknowledged).toBeGreaterThan(1_000);
  expect(result.unknown).toBeGreaterThan(0);
}

describe("chaos", () => {
  it("loses nothing, doubles nothing and overspends nothing under every kind of fault", async () => {
    await expectNothingFound({ seconds: 15, redis: "pair" });
  }, 90_000);
});
