import { setTimeout as sleep } from "node:timers/promises";
import type { RedisServer } from "../support/redis-servers.js";
import type { Disturbance, Fault } from "./fault.js";
import type { RedisTrio } from "./redis-trio.js";
import { callAt } from "./redis-pair.js";
import { cutFault, heldFault } from "./wires.js";

/** Below what an empty server takes: every write is refused, or everything evicted. */
const NO_MEMORY = "1mb";

/** What happens to the one Redis, its replica and the ways there. */
export const PAIR_FAULTS: readonly Fault[] = [
  { name: "Redis killed", part: "redis", run: ({ world, random }) => world.pair!.kill(random.int(0, 1_500)) },
  { name: "Redis paused", part: "redis", run: (by) => by.world.pair!.pause(by.lasting()) },
  { name: "FLUSHALL", part: "redis", run: async ({ world }) => void (await world.pair!.call("FLUSHALL")) },
  { name: "SCRIPT FLUSH", part: "redis", run: async ({ world }) => void (await world.pair!.call("SCRIPT", "FLUSH")) },
  {
    name: "old snapshot restored",
    part: "redis",
    // Old enough to be wrong; sometimes young enough to pass as fresh.
    run: (by) => by.world.pair!.restoreOld(by.lasting()),
  },
  {
    name: "two masters",
    part: "redis",
    run: async ({ world, random, lasting }) => {
      const pair = world.pair!;
      // At least one process on each side, both sides deciding and writing.
      const [first, ...others] = random.shuffled(world.replicas);
      const away = [first!, ...others.slice(1).filter(() => random.chance(0.5))];
      await pair.split();
      for (const replica of away) replica.redis!.aim(pair.secondUrl);
      await sleep(lasting());
      // The replica is one again while processes still write to it: they are refused (READONLY).
      await pair.heal(random.pick(["first", "second"]));
      for (const replica of away) replica.redis!.aim(pair.url);
    },
  },
  memoryFault("Redis out of memory", "noeviction"),
  memoryFault("Redis evicting", "allkeys-random"),
  cutFault("answers of Redis cut", "redis"),
  heldFault("answers of Redis lost", "redis", ["deaf"]),
];

function memoryFault(name: string, policy: string): Fault {
  return {
    name,
    part: "redis",
    run: async ({ world, lasting }) => {
      const pair = world.pair!;
      await pair.call("CONFIG", "SET", "maxmemory-policy", policy, "maxmemory", NO_MEMORY);
      await sleep(lasting());
      await pair.call("CONFIG", "SET", "maxmemory-policy", "noeviction", "maxmemory", 0);
    },
  };
}

/** What happens to the nodes of a Redis Cluster. */
export const CLUSTER_FAULTS: readonly Fault[] = [
  nodeFault("a node killed", (trio, node, { random }) => trio.kill(node, random.int(0, 2_500))),
  nodeFault("a node paused", (trio, node, { lasting }) => trio.pause(node, lasting())),
  nodeFault("FLUSHALL on a node", async (_, node) => void (await callAt(node, "FLUSHALL"))),
  nodeFault("SCRIPT FLUSH on a node", async (_, node) => void (await callAt(node, "SCRIPT", "FLUSH"))),
  nodeFault("slots moved", (trio, _, { random }) => trio.moveSlots(random)),
];

function nodeFault(name: string, run: (trio: RedisTrio, node: RedisServer, by: Disturbance) => Promise<void>): Fault {
  return { name, part: "redis", run: (by) => run(by.world.trio!, by.random.pick(by.world.trio!.nodes), by) };
}
