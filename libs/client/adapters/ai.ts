import { readAiUsage } from "../costs/ai.js";
import { UNKNOWN, type Unknown, type Usage } from "../costs/index.js";
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
import { settle, type Costing } from "../meter/settlement.js";
import { verdictOn } from "../work/outcome.js";

export type { CallBooking, JobScope, ModelCall, RunningScope } from "../meter/call.js";

/** What is used of the AI SDK's types, so that they need not be installed. */
interface Params {
  readonly abortSignal?: AbortSignal | undefined;
}
interface Call<P, G, S> {
  readonly params: P;
  readonly model: {
    readonly modelId: string;
    doGenerate(params: P): PromiseLike<G>;
    doStream(params: P): PromiseLike<S>;
  };
}

interface Booked<P> extends RunningScope {
  readonly params: P;
  readonly costing: Costing;
  closing(): Promise<unknown>;
}

/**
 * Middleware for `wrapLanguageModel` of the AI SDK (`ai` 6): each call of the model, and so each step of an agent, is reserved
 * and settled by the usage that it tells. What Holdfast refuses is thrown as it is, and the SDK does not retry it. A call
 * that the provider refuses (4xx but 408, 503 or 529) used nothing; of any other failure it is not known, so it is settled as
 * planned.
 */
export function bookedModel(booking: CallBooking) {
  return {
    specificationVersion: "v3" as const,
    wrapGenerate<P extends Params, G extends { readonly usage: unknown }, S>(call: Call<P, G, S>): Promise<G> {
      return book(booking, call, async ({ params, watch, costing }) => {
        const answer = await call.model.doGenerate(params);
        watch(told(settle(readAiUsage(answer.usage), costing)));
        return { answer };
      });
    },
    wrapStream<P extends Params, G, T, S extends { stream: ReadableStream<T> }>(call: Call<P, G, S>): Promise<S> {
      return book(booking, call, async ({ params, watch, costing, signal, closing }) => {
        const answer = await call.model.doStream(params);
        const metered = watch(meter(answer.stream, { ...costing, signal, closing, usageIn }));
        return { answer: { ...answer, stream: metered.stream }, ended: metered.ended };
      });
    },
  };
}

function book<P extends Params, G, S, R>(
  booking: CallBooking,
  { params, model }: Call<P, G, S>,
  make: (call: Booked<P>) => Promise<Answered<R>>,
): Promise<R> {
  const costing = costingOf(booking, { model: model.modelId, request: params });
  const { planned } = costing;
  return runCall(booking, { planned, signal: params.abortSignal }, async (context, closing) => {
    const { signal, watch } = context;
    try {
      return await make({ planned, signal, watch, closing, costing, params: { ...params, abortSignal: signal } });
    } catch (error) {
      watch(told(verdictOn(error).refused ? nothing(planned) : settle(UNKNOWN, costing)));
      throw error;
    }
  });
}

/** The last part of a call tells what all of it used. */
function usageIn(part: unknown): Usage | Unknown | undefined {
  const { type, usage } = Object(part) as { type?: unknown; usage?: unknown };
  return type === "finish" ? readAiUsage(usage) : undefined;
}
