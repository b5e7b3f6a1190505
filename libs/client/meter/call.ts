import type { Amounts } from "../api/types.js";
import { linked, onAbort } from "../http/signals.js";
import type { Unknown, Usage } from "../costs/index.js";
import type { Costing, Settlement } from "./settlement.js";

/** An attempt of `fanOut` or the work of `withReservation`: what the call uses is told to it. */
export interface RunningScope {
  readonly planned: Amounts;
  readonly signal: AbortSignal;
  watch<W extends { settlement(): Settlement }>(watched: W): W;
}

/** A job: each call has a reservation of its own, which is settled when the call or its stream has ended. */
export interface JobScope {
  withReservation<R>(
    amounts: Amounts,
    work: (context: RunningScope) => Promise<R> | R,
    options?: { readonly signal?: AbortSignal | undefined; readonly timeoutMs?: number | undefined },
  ): Promise<R>;
}

/** One call of a model, before it is made. */
export interface ModelCall {
  /** The model that it asks for; "" where it names none. */
  readonly model: string;
  /** What the client hands over: the JSON body, or the SDK's own call options. */
  readonly request: unknown;
}

/** How calls of models are booked. */
export interface CallBooking {
  readonly scope: JobScope | RunningScope;
  /** What one call may use: reserved for it in a job, and settled for it where its usage stays unknown. */
  readonly planned: Amounts | ((call: ModelCall) => Amounts);
  /** What a usage comes to, in every unit of `planned`. A throw, such as for a model without a price, settles as planned. */
  readonly amounts: (usage: Usage, model: string) => Amounts;
  /** Longest life of one call and its stream in a job, milliseconds; default 600 000. A stream that nobody reads ends so. */
  readonly timeoutMs?: number | undefined;
}

const TIMEOUT_MS = 600_000;

export function costingOf({ planned, amounts }: CallBooking, call: ModelCall): Costing {
  return {
    planned: typeof planned === "function" ? planned(call) : planned,
    amounts: (usage) => amounts(usage, call.model),
  };
}

/** A call's answer, and when nothing of it follows. */
export interface Answered<R> {
  readonly answer: R;
  /** Left out: nothing follows. */
  readonly ended?: Promise<unknown>;
}

type Call<R> = (context: RunningScope, closing: () => Promise<unknown>) => Promise<Answered<R>>;

/**
 * Makes one call. In a job it is reserved first, and a whole answer is given back once it is settled; a stream is given back at
 * once, and `closing` is what its end waits for.
 * @throws what the reservation is refused with, and what the call throws.
 */
export async function runCall<R>(
  { scope, timeoutMs = TIMEOUT_MS }: CallBooking,
  { planned, signal }: { readonly planned: Amounts; readonly signal?: AbortSignal | undefined },
  call: Call<R>,
): Promise<R> {
  if (!("withReservation" in scope)) return runWithin(scope, signal, call);
  return new Promise<R>((resolve, reject) => {
    const work = async (context: RunningScope): Promise<R> => {
      const { answer, ended } = await call(context, () => closed);
      if (ended) resolve(answer);
      await ended;
      return answer;
    };
    const closed = scope.withReservation(planned, work, { signal, timeoutMs });
    closed.then(resolve, reject);
  });
}

/** The call hears both signals, until nothing of it follows. */
async function runWithin<R>(scope: RunningScope, signal: AbortSignal | undefined, call: Call<R>): Promise<R> {
  const own = linked(scope.signal);
  const forget = onAbort(signal, () => own.abort(signal?.reason));
  const context = { planned: scope.planned, signal: own.signal, watch: scope.watch.bind(scope) };
  let following: Promise<unknown> | undefined;
  try {
    const { answer, ended } = await call(context, () => Promise.resolve());
    following = ended;
    return answer;
  } finally {
    void Promise.resolve(following).then(() => {
      own.unlink();
      forget();
    });
  }
}

/** A settlement that is known, as a meter tells one. */
export function told(settlement: Settlement): { settlement(): Settlement } {
  return { settlement: () => settlement };
}

/** What a call is settled with that its service refused: nothing. */
export function nothing(planned: Amounts, usage: Unknown = "unknown"): Settlement {
  return { actual: Object.fromEntries(Object.keys(planned).map((unit) => [unit, 0])), estimated: false, usage };
}
