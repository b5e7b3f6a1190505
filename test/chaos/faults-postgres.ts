import { setTimeout as sleep } from "node:timers/promises";
import type { Fault } from "./fault.js";
import { cutFault, heldFault } from "./wires.js";

/** What happens to PostgreSQL and to the ways there. */
export const POSTGRES_FAULTS: readonly Fault[] = [
  { name: "PostgreSQL restarted", part: "postgres", run: ({ world }) => world.postgres.crash("SIGQUIT") },
  { name: "PostgreSQL killed", part: "postgres", run: ({ world }) => world.postgres.crash("SIGKILL") },
  { name: "PostgreSQL paused", part: "postgres", run: (by) => by.world.postgres.pause(by.lasting()) },
  {
    name: "back-ends terminated",
    part: "postgres",
    run: async ({ world, random }) => {
      for (let times = random.int(1, 4); times > 0; times -= 1) {
        await world.postgres.terminateBackends();
        await sleep(random.int(10, 200));
      }
    },
  },
  cutFault("answers of PostgreSQL cut", "postgres"),
  heldFault("answers of PostgreSQL lost", "postgres", ["deaf"]),
  heldFault("PostgreSQL not to be reached", "postgres", ["cut", "hung"]),
];
