import type { Answers } from "./answers.js";
import type { Clients } from "./clients.js";
import type { SimPostgres } from "./postgres.js";
import type { SimProcess, SimReconciler } from "./process.js";
import type { Random } from "../support/random.js";
import type { SimRedis } from "./redis.js";
import type { Scheduler } from "./scheduler.js";
import type { WireState } from "./wire.js";

/** Everything of a run that a fault may touch. */
export interface Disturbed {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly postgres: SimPostgres;
  /** The first is the master; the second a replica that may be made one. */
  readonly redises: readonly [SimRedis, SimRedis];
  readonly processes: readonly SimProcess[];
  readonly reconciler: SimReconciler;
  readonly clients: Clients;
  readonly answers: Answers;
}

/** Does harm, and returns what mends it again after a while. */
type Fault = (on: Disturbed) => (() => void) | undefined;

const wires = ({ processes, reconciler }: Disturbed) => [...processes, reconciler];

function disturbWire(kind: "toPostgres" | "toRedis"): Fault {
  return (on) => {
    const wire = on.random.pick(wires(on))[kind];
    const state = on.random.pick<WireState>(["cut", "hung", "deaf"]);
    if (state === "cut") wire.cut();
    wire.state = state;
    return () => {
      wire.cut();
      wire.state = "open";
    };
  };
}

export const FAULTS: Readonly<Record<string, Fault>> = {
  "process killed": (on) => {
    const process = on.random.pick(wires(on));
    if (!process.actor.alive) return undefined;
    process.crash();
    return () => process.start();
  },
  "process paused": (on) => {
    const { actor } = on.random.pick(wires(on));
    actor.pausedUntil = on.scheduler.now + on.random.between(50, 4_000);
    return undefined;
  },
  "process stopped": (on) => {
    const process = on.random.pick(on.processes);
    if (!process.actor.alive) return undefined;
    const stopping = process.actor;
    void process.stop();
    return () => {
      stopping.alive = false;
      process.start();
    };
  },
  "way to Postgres disturbed": disturbWire("toPostgres"),
  "way to Redis disturbed": disturbWire("toRedis"),
  "connection to Postgres cut": (on) => {
    on.random.pick(wires(on)).toPostgres.cut();
    return undefined;
  },
  "way to Redis slow": (on) => {
    const { toRedis } = on.random.pick(wires(on));
    toRedis.slowness = 60;
    return () => (toRedis.slowness = 1);
  },
  "Postgres restarted": (on) => {
    const { postgres } = on;
    if (!postgres.actor.alive) return undefined;
    postgres.actor.alive = false;
    postgres.crash();
    for (const { toPostgres } of wires(on)) toPostgres.cut();
    return () => (postgres.actor.alive = true);
  },
  "Postgres frozen": (on) => {
    on.postgres.actor.pausedUntil = on.scheduler.now + on.random.between(200, 2_500);
    return undefined;
  },
  "back-end terminated": ({ postgres, random }) => {
    if (postgres.sessions.size > 0) postgres.end(random.pick([...postgres.sessions]));
    return undefined;
  },
  "Redis wiped": ({ redises: [redis] }) => {
    redis.copies.clear();
    return undefined;
  },
  "Redis lost its tail": (on) => {
    const [redis] = on.redises;
    const old = redis.snapshot();
    return () => (redis.copies = old);
  },
  "Redis takes no writes": ({ redises: [redis] }) => {
    redis.refusesWrites = true;
    return () => (redis.refusesWrites = false);
  },
  "Redis down": ({ redises: [redis], ...on }) => {
    redis.actor.alive = false;
    for (const { toRedis } of wires({ redises: [redis, redis], ...on })) toRedis.cut();
    return () => (redis.actor.alive = true);
  },
  "two masters of Redis": (on) => {
    const [master, replica] = on.redises;
    replica.copies = master.snapshot();
    const moved = wires(on).filter(() => on.random.chance(0.5));
    for (const process of moved) process.redis = replica;
    return () => {
      // The replica's side wins now and then, with all that it did not see.
      if (on.random.chance(0.5)) master.copies = replica.snapshot();
      for (const process of moved) process.redis = master;
    };
  },
  "clock of Redis jumps": ({ redises: [redis], random, answers }) => {
    const by = random.pick([-10_000, -1_500, -200, 300, 5_000, 3_600_000]);
    redis.clockAhead += by;
    if (by < 0) answers.slackMs += -by;
    return undefined;
  },
  "clock of Postgres jumps": ({ postgres, random }) => {
    postgres.clockAhead += random.pick([-800, -20, 15, 700, 20_000]);
    return undefined;
  },
  "reconciler late": ({ reconciler }) => {
    reconciler.skips = true;
    return () => (reconciler.skips = false);
  },
  "reconciler doubled": ({ reconciler }) => {
    if (reconciler.actor.alive) void reconciler.sweep();
    return undefined;
  },
  "requests lost": ({ clients }) => {
    clients.loss = 0.2;
    return () => (clients.loss = 0);
  },
};

/** After these, Redis may show as fresh what is older than what it showed before. */
export const FORGETFUL: ReadonlySet<string> = new Set([
  "two masters of Redis",
  "Redis lost its tail",
  "clock of Redis jumps",
]);

/** Faults of the kinds of this run, one after the other and over each other, until the time is over; then all is mended. */
export async function disturb(
  on: Disturbed,
  kinds: readonly string[],
  untilMs: number,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const pending = new Set<() => void>();
  while (kinds.length > 0) {
    await on.scheduler.sleep(on.random.between(20, 1_500));
    if (on.scheduler.now >= untilMs) break;
    const kind = on.random.pick(kinds);
    counts[kind] = (counts[kind] ?? 0) + 1;
    const mend = FAULTS[kind]!(on);
    if (!mend) continue;
    const once = (): void => {
      if (pending.delete(once)) mend();
    };
    pending.add(once);
    on.scheduler.after(on.random.between(20, 3_000), once);
  }
  for (const mend of pending) mend();
  return counts;
}
