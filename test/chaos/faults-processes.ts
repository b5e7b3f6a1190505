import type { Disturbance, Fault } from "./fault.js";
import type { Replica } from "./replica.js";
import { cutFault, heldFault } from "./wires.js";

function processFault(
  name: string,
  part: "api" | "reconciler",
  run: (one: Replica, by: Disturbance) => Promise<void>,
): Fault {
  const list = part === "api" ? "apis" : "reconcilers";
  return { name, part, run: (by) => run(by.random.pick(by.world[list]), by) };
}

/** What happens to the processes themselves, and to the ways of clients to them. */
export const PROCESS_FAULTS: readonly Fault[] = [
  processFault("API killed", "api", (api, { random }) => api.restart("SIGKILL", random.int(0, 1_500))),
  processFault("API paused", "api", (api, by) => api.pause(by.lasting())),
  processFault("API stopped in order", "api", (api, { random }) => api.restart("SIGTERM", random.int(0, 500))),
  cutFault("answers of the API cut", "front"),
  heldFault("answers of the API lost", "front", ["deaf"]),
  processFault("reconciler killed", "reconciler", (one, { random }) => one.restart("SIGKILL", random.int(0, 1_500))),
  processFault("reconciler paused", "reconciler", (one, by) => one.pause(by.lasting())),
  {
    name: "both reconcilers killed",
    part: "reconciler",
    run: async ({ world, random }) => {
      await Promise.all(world.reconcilers.map((one) => one.restart("SIGKILL", random.int(0, 1_500))));
    },
  },
];
