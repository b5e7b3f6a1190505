import { setTimeout as sleep } from "node:timers/promises";
import type { Disturbance, Done, Fault, Part } from "./fault.js";
import { POSTGRES_FAULTS } from "./faults-postgres.js";
import { PROCESS_FAULTS } from "./faults-processes.js";
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
export const SHORT: Pace = { gapMs: [50, 400], lastingMs: [950, 1_300] };

export const FAULTS: Readonly<Record<RedisKind, readonly Fault[]>> = {
  pair: [...PROCESS_FAULTS, ...POSTGRES_FAULTS, ...PAIR_FAULTS],
  cluster: [...PROCESS_FAULTS, ...CLUSTER_FAULTS],
};

/**
 * Disturbs until the time is over and every fault has been there as often as `rounds` says; the order is the seed's,
 * but for faults that find their part at work already: those wait. Returns what was done, in order.
 */
export async function disturb(
  faults: readonly Fault[],
  pace: Pace,
  by: Omit<Disturbance, "lasting">,
  { ms, rounds }: { ms: number; rounds: number },
): Promise<Done[]> {
  const { random, world } = by;
  const done: Done[] = [];
  const atWork = new Map<Part, Promise<void>>();
  const start = performance.now();
  const until = start + ms;
  let bag: Fault[] = [];
  for (let drawn = 0; performance.now() < until || drawn < rounds * faults.length; drawn += 1) {
    if (bag.length === 0) bag = random.shuffled(faults);
    const own = random.fork(drawn);
    await sleep(own.int(...pace.gapMs));
    while (bag.every(({ part }) => atWork.has(part))) await Promise.race(atWork.values());
    const [fault] = bag.splice(
      bag.findIndex(({ part }) => !atWork.has(part)),
      1,
    ) as [Fault];
    const one: Done = {
      ...{ name: fault.name, part: fault.part },
      ...{ startedAt: Date.now(), atMs: performance.now() - start, tookMs: 0 },
    };
    done.push(one);
    const running = fault.run({ world, random: own, lasting: () => own.int(...pace.lastingMs) });
    // A failure stays, and ends the loop or what comes after it.
    const over = named(fault, running).then(() => {
      one.tookMs = performance.now() - start - one.atMs;
      atWork.delete(fault.part);
    });
    over.catch(() => undefined);
    atWork.set(fault.part, over);
  }
  await Promise.all(atWork.values());
  return done;
}

/** A failure of the disturber itself, by name. */
function named({ name }: Fault, running: Promise<void>): Promise<void> {
  return running.catch((error: unknown) => {
    throw new Error(`the fault "${name}" could not be brought about`, { cause: error });
  });
}
