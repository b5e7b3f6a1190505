import { setTimeout as sleep } from "node:timers/promises";
import { isRecordUnavailable } from "./unavailable.js";

/** How long a process that starts asks again, milliseconds. */
const PATIENCE_MS = 15_000;
const PAUSE_MS = 100;

/**
 * Asks the record again while it cannot be had: at the start the migrations were just applied to it, so it is there and
 * busy, and nobody waits for an answer within a second yet. `ask` must be safe to repeat.
 * @throws the last error.
 */
export async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (const begun = performance.now(); ;) {
    try {
      return await ask();
    } catch (error) {
      if (!isRecordUnavailable(error) || performance.now() - begun > PATIENCE_MS) throw error;
      await sleep(PAUSE_MS);
    }
  }
}
