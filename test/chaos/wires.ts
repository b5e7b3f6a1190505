import { setTimeout as sleep } from "node:timers/promises";
import type { ProxyState } from "../support/proxy.js";
import type { Disturbance, Fault } from "./fault.js";
import type { Replica } from "./replica.js";

/** An answer is cut within its first so many bytes: in the middle of a row, of a number, between two messages. */
const MOST_BYTES = 400;
/** Connections that are idle until then are spared. */
const CUT_WITHIN_MS = [200, 800] as const;

/** `front` is the API itself, as its clients reach it. */
type Service = "front" | "postgres" | "redis";

/** A fault of the ways to a service from some of the processes, or from clients to some of the APIs. */
export function wireFault(
  name: string,
  of: Service,
  run: (some: readonly Replica[], by: Disturbance) => Promise<void>,
): Fault {
  return {
    name,
    part: of === "front" ? "api" : of,
    run: async (by) => {
      const replicas = of === "front" ? by.world.apis : by.world.replicas;
      await run(by.random.shuffled(replicas).slice(0, by.random.int(1, replicas.length)), by);
    },
  };
}

/** Answers break off somewhere in the middle, whether their request had an effect or not. */
export function cutFault(name: string, of: Service): Fault {
  return wireFault(name, of, async (some, { random }) => {
    for (const replica of some) replica[of]?.cutAnswers(random.int(0, MOST_BYTES));
    await sleep(random.int(...CUT_WITHIN_MS));
    for (const replica of some) replica[of]?.set("open");
  });
}

/** The ways are in this state for a while. */
export function heldFault(name: string, of: Service, states: readonly ProxyState[]): Fault {
  return wireFault(name, of, async (some, { random, lasting }) => {
    const state = random.pick(states);
    for (const replica of some) replica[of]?.set(state);
    await sleep(lasting());
    for (const replica of some) replica[of]?.set("open");
  });
}
