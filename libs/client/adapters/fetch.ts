import { UNKNOWN } from "../costs/index.js";
import {
  costingOf,
  nothing,
  runCall,
  told,
  type Answered,
  type CallBooking,
  type RunningScope,
} from "../meter/call.js";
import { meter } from "../meter/meter.js";
import { settle, settlementOf, type Costing } from "../meter/settlement.js";
import { verdictOn } from "../work/outcome.js";

export type { CallBooking, JobScope, ModelCall, RunningScope } from "../meter/call.js";

type Fetch = typeof globalThis.fetch;

/**
 * A `fetch` for clients of model providers that speak OpenAI's or Anthropic's dialect: whichever of the client's methods is
 * called, each request that it posts is reserved and settled by the usage in its answer, streams included. Other methods
 * pass as they are. A request that the provider refuses (4xx but 408, 503 or 529) used nothing; of any other failure it is not
 * known, so it is settled as planned.
 *
 * Each try is a request: switch the client's own retries off, or a refusal of Holdfast is tried again too. A stream of chat
 * completions tells its usage only if it was asked for with `stream_options: { include_usage: true }`.
 */
export function bookedFetch(booking: CallBooking, fetch: Fetch = globalThis.fetch): Fetch {
  return (input, init) => {
    const method = init?.method ?? (input instanceof Request ? input.method : "GET");
    if (method.toUpperCase() !== "POST") return fetch(input, init);
    const request = jsonOf(init?.body);
    const costing = costingOf(booking, { model: modelOf(request), request });
    const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined);
    return runCall(booking, { planned: costing.planned, signal }, async (context, closing) => {
      try {
        const response = await fetch(input, { ...init, signal: context.signal });
        return await answered(response, costing, context, closing);
      } catch (error) {
        context.watch(told(settle(UNKNOWN, costing)));
        throw error;
      }
    });
  };
}

async function answered(
  response: Response,
  costing: Costing,
  { watch, signal }: RunningScope,
  closing: () => Promise<unknown>,
): Promise<Answered<Response>> {
  if (verdictOn(response).refused) watch(told(nothing(costing.planned)));
  else if (response.body && response.headers.get("content-type")?.startsWith("text/event-stream")) {
    const metered = watch(meter(response.body, { ...costing, signal, closing }));
    return { answer: copyOf(response, metered.stream), ended: metered.ended };
  } else {
    const text = await response.text();
    watch(told(settlementOf(jsonOf(text), costing)));
    return { answer: copyOf(response, response.body && text) };
  }
  return { answer: response };
}

/** The body is decoded by now, and its length another. */
function copyOf({ status, statusText, headers }: Response, body: ReadableStream | string | null): Response {
  const copied = new Headers(headers);
  for (const name of ["content-encoding", "content-length"]) copied.delete(name);
  return new Response(body, { status, statusText, headers: copied });
}

function jsonOf(body: unknown): unknown {
  if (typeof body !== "string") return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function modelOf(request: unknown): string {
  const { model } = Object(request) as { model?: unknown };
  return typeof model === "string" ? model : "";
}
