import { setTimeout as sleep } from "node:timers/promises";
import type { Disturbance, Fault, Part } from "./fault.js";
import { POSTGRES_FAULTS, PROCESS_FAULTS } from "./faults-processes.js";
import { CLUSTER_FAULTS, PAIR_FAULTS } from "./faults-redis.js";
import type { RedisKind } from "./world.js";

export interface Pace {
  /** Between the beginnings of two faults, milliseconds. */
  readonly gapMs: readonly [number, number];
  /** How long a fault lasts where it lasts, milliseconds. */
  readonly lastingMs: readonly [number, number];
}

/** A fault every few seconds, some of which last for six. */
export const FULL: Pace = { gapMs: [500, 3_000], lastingMs: [1_000, 6_000] };
/** All of them within a Jest spec. */
export const SHORT: Pace = { gapMs: [200, 900], lastingMs: [1_000, 1_800] };

export function faultsFor(redis: RedisKind): readonly Fault[] {
  return [...PROCESS_FAULTS, ...POSTGRES_FAULTS, ...(redis === "pair" ? PAIR_FAULTS : CLUSTER_FAULTS)];
}

/**
 * Disturbs until the time is over and every fault has been there as often as `rounds` says; the order is the seed's.
 * Faults on different parts overlap. Returns what was done, in order.
 */
export async function disturb(
  faults: readonly Fault[],
  pace: Pace,
  by: Omit<Disturbance, "lasting">,
  { ms, rounds }: { ms: number; rounds: number },
): Promise<string[]> {
  const { random, world } = by;
  const done: string[] = [];
  const atWork = new Map<Part, Promise<void>>();
  const until = performance.now() + ms;
  let bag: Fault[] = [];
  for (let drawn = 0; performance.now() < until || drawn < rounds * faults.length; drawn += 1) {
    if (bag.length === 0) bag = random.shuffled(faults);
    const fault = bag.pop()!;
    const own = random.fork(drawn);
    await atWork.get(fault.part);
    await sleep(own.int(...pace.gapMs));
    done.push(fault.name);
    const running = fault.run({ world, random: own, lasting: () => own.int(...pace.lastingMs) });
    atWork.set(fault.part, named(fault, running));
  }
  await Promise.all(atWork.values());
  return done;
}

/** A failure of the disturber itself, by name. Handled where the part is awaited next, and no moment earlier unhandled. */
function named({ name }: Fault, running: Promise<void>): Promise<void> {
  const result = running.catch((error: unknown) => {
    throw new Error(`the fault "${name}" could not be brought about`, { cause: error });
  });
  result.catch(() => undefined);
  return result;
}
