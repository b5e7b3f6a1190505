import { bookedFetch, type CallBooking } from "./fetch.js";

export type { CallBooking, JobScope, ModelCall, RunningScope } from "../meter/call.js";

/** What is used of a client of the `openai` package; that of `@anthropic-ai/sdk` has it too. */
export interface SdkClient<C> {
  withOptions(options: { readonly maxRetries: number; readonly fetch: typeof globalThis.fetch }): C;
}

/**
 * A copy of the client all of whose calls, streams and helpers included, are reserved and settled; the client itself stays as
 * it is. Retries are the plan's, so the copy makes none of its own. What Holdfast refuses is the `cause` of the error that the
 * client throws (`refusalIn` finds it).
 *
 * A stream of chat completions tells its usage only if it was asked for with `stream_options: { include_usage: true }`; else
 * it is settled as planned.
 */
export function bookedOpenAI<C extends SdkClient<C>>(client: C, booking: CallBooking): C {
  const { fetch } = client as { readonly fetch?: typeof globalThis.fetch };
  return client.withOptions({ maxRetries: 0, fetch: bookedFetch(booking, fetch) });
}

/** The error of the class that is somewhere in the causes of another one, if it is. */
export function refusalIn<E extends Error>(error: unknown, kind: abstract new (...args: never) => E): E | undefined {
  for (let cause = error; cause instanceof Error; { cause } = cause) if (cause instanceof kind) return cause;
  return undefined;
}
