import { after } from "../timer.js";

/** The time that a guard lives by. Tests bring one that they move. */
export interface Clock {
  /** Milliseconds, whole, from anywhere; never goes back. */
  now(): number;
  /** Calls back once after so long, unless the function that it returns is called before. */
  after(ms: number, call: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Math.floor(performance.now()),
  after,
};
