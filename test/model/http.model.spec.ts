import fc from "fast-check";
import { Replicas } from "../support/replicas.js";
import { HttpWorld } from "./http-world.js";
import { settings, stepsOf } from "./steps.js";

/** For a longer look, raise both. */
const RUNS = { numRuns: 60, interruptAfterTimeLimit: 20_000 };

let service: Replicas;

beforeAll(async () => {
  service = await Replicas.start();
});

afterAll(() => service?.stop());

describe("two API processes and a reconciler on one record and one Redis", () => {
  it("answer every request, retried or cut off, as the bare rules say, and show the balances that the rules leave", async () => {
    await fc.assert(
      fc.asyncProperty(settings, stepsOf(20, 50), async (tenants, run) => {
        const world = await HttpWorld.start(service, tenants);
        for (const step of run) await world.run(step);
        await world.expectSame();
      }),
      RUNS,
    );
  }, 90_000);
});
