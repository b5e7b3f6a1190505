import { readUsage, UNKNOWN, type Unknown, type Usage } from "../costs/index.js";
import { nothing, told, type RunningScope } from "../meter/call.js";
import { settle, type Costing } from "../meter/settlement.js";
import { verdictOn } from "../work/outcome.js";

export type { RunningScope } from "../meter/call.js";

export interface CallbackBooking {
  /** The attempt of `fanOut` or the work of `withReservation` that runs the chain. */
  readonly scope: RunningScope;
  /** What one call of a model may use: settled where its usage stays unknown. */
  readonly planned: Costing["planned"];
  readonly amounts: Costing["amounts"];
}

/** What is used of a result of `@langchain/core`. */
interface ModelResult {
  readonly generations: readonly (readonly object[])[];
}

/**
 * Callbacks for LangChain (`callbacks: [bookedCallbacks(…)]`): every call of a model within the chain tells the running attempt
 * what it used. They stop nothing by themselves: hand `scope.signal` to the chain, and reserve what the whole chain may use.
 */
export function bookedCallbacks({ scope, ...costing }: CallbackBooking) {
  return {
    name: "holdfast",
    // Else the chain may end before its last call was told.
    awaitHandlers: true,
    handleLLMEnd: (result: ModelResult): void => {
      for (const [first] of result.generations) {
        const { message } = Object(first) as { message?: unknown };
        scope.watch(told(settle(readLangChain(message), costing)));
      }
    },
    handleLLMError: (error: unknown): void => {
      const { refused } = verdictOn(error);
      scope.watch(told(refused ? nothing(costing.planned) : settle(UNKNOWN, costing)));
    },
  };
}

/** LangChain has one dialect for all providers, which counts what is cached within the input. */
function readLangChain(message: unknown): Usage | Unknown {
  const { usage_metadata } = Object(message) as { usage_metadata?: unknown };
  const { input_tokens, output_tokens, input_token_details } = Object(usage_metadata) as Record<string, unknown>;
  const { cache_read, cache_creation } = Object(input_token_details) as Record<string, unknown>;
  const input_tokens_details = { cached_tokens: cache_read, cache_write_tokens: cache_creation };
  return readUsage({ usage: { input_tokens, output_tokens, input_tokens_details } });
}
