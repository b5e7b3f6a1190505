import { NotFound } from "../errors/errors.js";
import { type Closer, mayCloseLater } from "./closing.js";
import type { Closing } from "./facts.js";
import type { Journal } from "./journal.js";

export interface Replayed {
  /** Reservations that are closed now. */
  readonly told: readonly string[];
  /** Refused for good, so that telling again never helps: for example settled by somebody else with other amounts. */
  readonly refused: readonly { readonly closing: Closing; readonly error: unknown }[];
  /** Still in the journal. */
  readonly kept: readonly { readonly closing: Closing; readonly error: unknown }[];
}

/** Tells what an earlier process could not. */
export async function replay(journal: Journal, closer: Closer): Promise<Replayed> {
  const replayed = {
    told: [] as string[],
    refused: [] as Replayed["refused"][number][],
    kept: [] as Replayed["kept"][number][],
  };
  for (const closing of await journal.open()) {
    try {
      await closer.tell(closing);
      replayed.told.push(closing.reservationId);
    } catch (error) {
      // Another tenant's key opens nothing of this one, and must not make it forgotten.
      if (mayCloseLater(error) || error instanceof NotFound) {
        replayed.kept.push({ closing, error });
        continue;
      }
      replayed.refused.push({ closing, error });
    }
    await journal.told(closing);
  }
  await journal.tidy();
  return replayed;
}
