import { setTimeout as sleep } from "node:timers/promises";
import type { ProxyState } from "../support/proxy.js";
import type { Disturbance, Fault, Part } from "./fault.js";
import type { Replica } from "./replica.js";

const MOST_BYTES = 400;

function processFault(
  name: string,
  part: "api" | "reconciler",
  run: (one: Replica, by: Disturbance) => Promise<void>,
): Fault {
  const list = part === "api" ? "apis" : "reconcilers";
  return { name, part, run: (by) => run(by.random.pick(by.world[list]), by) };
}

/** Some of the processes, each for itself: the others see the services as they are. */
function wireFault(name: string, part: Part, run: (some: Replica[], by: Disturbance) => Promise<void>): Fault {
  return {
    name,
    part,
    run: (by) =>
      run(
        by.world.replicas.filter(() => by.random.chance(0.6)),
        by,
      ),
  };
}

async function holdWires(
  some: readonly Replica[],
  of: "postgres" | "redis",
  state: ProxyState,
  ms: number,
): Promise<void> {
  for (const replica of some) replica[of]?.set(state);
  await sleep(ms);
  for (const replica of some) replica[of]?.set("open");
}

export const PROCESS_FAULTS: readonly Fault[] = [
  processFault("API killed", "api", (api, { random }) => api.restart("SIGKILL", random.int(0, 1_500))),
  processFault("API paused", "api", (api, by) => api.pause(by.lasting())),
  processFault("API stopped in order", "api", (api, { random }) => api.restart("SIGTERM", random.int(0, 500))),
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

/** What happens between a process and its PostgreSQL, and to PostgreSQL itself. */
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
  wireFault("answers of PostgreSQL cut", "postgres", (some, { random }) =>
    cutAnswers(some, "postgres", random.int(0, MOST_BYTES)),
  ),
  wireFault("answers of PostgreSQL lost", "postgres", (some, by) => holdWires(some, "postgres", "deaf", by.lasting())),
  wireFault("PostgreSQL not to be reached", "postgres", (some, by) =>
    holdWires(some, "postgres", by.random.pick(["cut", "hung"]), by.lasting()),
  ),
];

export async function cutAnswers(
  some: readonly Replica[],
  of: "postgres" | "redis",
  afterBytes: number,
): Promise<void> {
  for (const replica of some) replica[of]?.cutAnswers(afterBytes);
}

export const wires = { fault: wireFault, hold: holdWires, MOST_BYTES };
