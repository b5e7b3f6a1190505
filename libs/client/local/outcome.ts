import type { Outcome } from "#libs/flow/machines";
import { verdictOn } from "../work/outcome.js";

/**
 * What an error says of the service that was called: `overloaded` for a timeout or a refusal for load, `rejected` for the
 * caller's own fault (another 4xx), `cancelled` where it was aborted, and `failed` for all else. It reads `name` and
 * `status` (or `statusCode`), as `fetch` and the clients of model providers have them.
 */
export function outcomeOf(error: unknown, signal?: AbortSignal): Outcome {
  const { outcome } = verdictOn(error);
  const { name } = Object(error) as { name?: unknown };
  const aborted = signal?.aborted || name === "AbortError" || name === "APIUserAbortError";
  return aborted && outcome !== "overloaded" ? "cancelled" : outcome;
}
