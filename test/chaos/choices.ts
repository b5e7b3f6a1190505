import { parseArgs } from "node:util";
import { FAULTS } from "./schedule.js";
import type { RedisKind } from "./world.js";

export const USAGE =
  "usage: npm run test:chaos -- [--seed N] [--seconds 60] [--runs 1] [--redis pair|cluster] [--fault <how its name begins>]";

/** What a caller chooses of a run. */
export interface Choices {
  readonly seed: number;
  readonly seconds: number;
  readonly runs: number;
  readonly redis: RedisKind;
  /** Only faults whose name begins so. */
  readonly fault: string;
}

/** Null where an option is unknown or its value makes no sense. */
export function choicesOf(args: readonly string[]): Choices | null {
  const values = optionsOf(args);
  if (!values) return null;
  const { redis, fault } = values;
  const [seed, seconds, runs] = [values.seed, values.seconds, values.runs].map(wholeNumber);
  if (seed === undefined || !seconds || !runs || !isRedisKind(redis)) return null;
  return FAULTS[redis].some(({ name }) => name.startsWith(fault)) ? { seed, seconds, runs, redis, fault } : null;
}

function optionsOf(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
        seconds: { type: "string", default: "60" },
        runs: { type: "string", default: "1" },
        redis: { type: "string", default: "pair" },
        fault: { type: "string", default: "" },
      },
    }).values;
  } catch {
    return null;
  }
}

function wholeNumber(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

function isRedisKind(name: string): name is RedisKind {
  return Object.hasOwn(FAULTS, name);
}
