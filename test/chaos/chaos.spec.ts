import { seedFrom } from "../support/services.js";
import { CLUSTER_FAULTS } from "./faults-redis.js";
import { HEADER, row } from "./report.js";
import { run, type Options } from "./run.js";
import { FAULTS, SHORT } from "./schedule.js";
import { World } from "./world.js";

let world: World;

beforeEach(() => {
  world = new World();
});
// Where a run was cut off by its time.
afterEach(() => world.stop());

async function expectNothingFound(options: Pick<Options, "seconds" | "redis" | "faults">): Promise<void> {
  const seed = seedFrom("TEST_CHAOS_SEED");
  const result = await run({ ...options, seed, pace: SHORT, rounds: 1 }, world);
  console.log(`TEST_CHAOS_SEED=${seed}\n${HEADER}\n${row(result)}`);
  expect({ seed, findings: result.findings }).toEqual({ seed, findings: [] });
  const names = (faults: readonly { name: string }[]) => new Set(faults.map(({ name }) => name));
  expect(names(result.faults)).toEqual(names(options.faults));
  expect(result.acknowledged).toBeGreaterThan(100);
}

describe("chaos", () => {
  it("loses, doubles and overspends nothing under every kind of fault", async () => {
    await expectNothingFound({ seconds: 10, redis: "pair", faults: FAULTS.pair });
  }, 120_000);

  it("loses, doubles and overspends nothing while nodes of a Redis Cluster fail", async () => {
    await expectNothingFound({ seconds: 5, redis: "cluster", faults: CLUSTER_FAULTS });
  }, 120_000);
});
