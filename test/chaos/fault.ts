import type { Random } from "./random.js";
import type { World } from "./world.js";

/** What a fault works on: two that work on the same never overlap. */
export type Part = "api" | "reconciler" | "postgres" | "redis";

export interface Disturbance {
  readonly world: World;
  readonly random: Random;
  /** How long something lasts, milliseconds: longer than every time-out of a process. */
  lasting(): number;
}

export interface Fault {
  readonly name: string;
  readonly part: Part;
  /** Resolves once what was disturbed is as before. */
  run(disturbance: Disturbance): Promise<void>;
}

/** A fault as it was brought about. */
export interface Done {
  readonly name: string;
  readonly part: Part;
  /** By the clock, milliseconds since 1970. */
  readonly startedAt: number;
  /** After the first disturbance, milliseconds. */
  readonly atMs: number;
  /** Until what was disturbed was as before. */
  tookMs: number;
}
