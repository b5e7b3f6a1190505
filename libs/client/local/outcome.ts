import type { Outcome } from "../../flow/machines/index.js";

/** Timeouts and refusals for load, those of Anthropic (529) included. */
const OVERLOADED = [408, 429, 503, 504, 529];

/**
 * What an error says of the service that was called: `overloaded` for a timeout or a refusal for load, `rejected` for the
 * caller's own fault (any other 4xx), `cancelled` where it was aborted, and `failed` for all else. It reads `name` and
 * `status` (or `statusCode`), as `fetch` and the clients of model providers have them.
 */
export function outcomeOf(error: unknown, signal?: AbortSignal): Outcome {
  const { name, status, statusCode } = Object(error) as { name?: unknown; status?: unknown; statusCode?: unknown };
  const code = Number(status ?? statusCode);
  if (OVERLOADED.includes(code) || name === "TimeoutError" || name === "APIConnectionTimeoutError") return "overloaded";
  if (signal?.aborted || name === "AbortError" || name === "APIUserAbortError") return "cancelled";
  return code >= 400 && code < 500 ? "rejected" : "failed";
}
