import { setTimeout as sleep } from "node:timers/promises";
import type { Fault } from "./fault.js";
import { cutAnswers, wires } from "./faults-processes.js";

/** Below what an empty server takes: every write is refused, or everything evicted. */
const NO_MEMORY = "1mb";
const SNAPSHOT_AGE_MS = [1_500, 3_000] as const;

/** What happens to the one Redis, its replica and the ways there. */
export const PAIR_FAULTS: readonly Fault[] = [
  { name: "Redis killed", part: "redis", run: ({ world, random }) => world.pair!.kill(random.int(0, 1_500)) },
  { name: "Redis paused", part: "redis", run: (by) => by.world.pair!.pause(by.lasting()) },
  { name: "FLUSHALL", part: "redis", run: async ({ world }) => void (await world.pair!.call("FLUSHALL")) },
  { name: "SCRIPT FLUSH", part: "redis", run: async ({ world }) => void (await world.pair!.call("SCRIPT", "FLUSH")) },
  {
    name: "old snapshot restored",
    part: "redis",
    run: ({ world, random }) => world.pair!.restoreOld(random.int(...SNAPSHOT_AGE_MS)),
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
  wires.fault("answers of Redis cut", "redis", (some, { random }) =>
    cutAnswers(some, "redis", random.int(0, wires.MOST_BYTES)),
  ),
  wires.fault("answers of Redis lost", "redis", (some, by) => wires.hold(some, "redis", "deaf", by.lasting())),
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
  {
    name: "a node killed",
    part: "redis",
    run: ({ world: { cluster }, random }) => cluster!.kill(random.int(0, cluster!.size - 1), random.int(0, 2_500)),
  },
  {
    name: "a node paused",
    part: "redis",
    run: ({ world: { cluster }, random, lasting }) => cluster!.pause(random.int(0, cluster!.size - 1), lasting()),
  },
  {
    name: "FLUSHALL on a node",
    part: "redis",
    run: async ({ world: { cluster }, random }) =>
      void (await cluster!.call(random.int(0, cluster!.size - 1), "FLUSHALL")),
  },
  {
    name: "SCRIPT FLUSH on every node",
    part: "redis",
    run: async ({ world: { cluster } }) => {
      for (let i = 0; i < cluster!.size; i += 1) await cluster!.call(i, "SCRIPT", "FLUSH");
    },
  },
  { name: "slots moved", part: "redis", run: ({ world: { cluster }, random }) => cluster!.swapSlots(random) },
];
