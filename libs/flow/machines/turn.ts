import { grantOf, refusalOf, type Grant, type PermitAsk, type PermitState, type Refusal } from "./permit.js";
import {
  enter,
  head,
  isWaiting,
  leave,
  rest,
  rouse,
  serve,
  type Queue,
  type QueuePlaces,
  type Waiter,
} from "./queue.js";

/** A permit's state, and who waits at its service. */
export interface TurnState extends PermitState {
  readonly queue: Queue;
  readonly places: QueuePlaces;
}

/** The caller waits. `retryAfterMs`: when to ask again without being woken; null while others go before it. */
export interface Waiting {
  readonly status: "waiting";
  readonly retryAfterMs: number | null;
}

/** What a caller is told that finds others waiting and will not wait itself: how long they take is not known. */
export const SHED_MS = 1_000;

export interface Turn {
  readonly decision: Grant | Refusal | Waiting;
  /** Who should ask again now. */
  readonly wake: Waiter | null;
}

/**
 * Decides a permit for a caller that takes its turn: nobody overtakes those who wait. `waiter` is null for a caller that
 * does not wait. One that waits already asks again when it is woken, or when its time has come.
 *
 * Waiting helps against a lack of rate or places alone; any other refusal is told at once, also to one that waits.
 */
export function decideTurn(
  state: TurnState,
  ask: PermitAsk & { readonly tenant: string },
  waiter: Waiter | null,
  now: number,
): Turn {
  const { queue } = state;
  const waited = waiter !== null && isWaiting(queue, waiter);
  const decision = decide(state, ask, { waiter, waited }, now);
  // Whoever is served, goes or rests makes room for the next; whoever has only come, or asked too early, does not.
  const moved = decision.status === "waiting" ? decision.retryAfterMs !== null : waited;
  const next = moved ? head(queue, now) : null;
  return { decision, wake: next?.id === ask.id ? null : next };
}

function decide(
  state: TurnState,
  ask: PermitAsk & { readonly tenant: string },
  { waiter, waited }: { waiter: Waiter | null; waited: boolean },
  now: number,
): Turn["decision"] {
  const { queue } = state;
  const refusal = refusalOf(state, ask, now);
  if (refusal && !waitingHelps(refusal)) {
    if (waited) leave(queue, waiter!);
    return refusal;
  }
  if (isFree(queue, ask, waited, now) && !refusal) {
    if (waited) serve(queue, waiter!);
    return grantOf(state, ask, now);
  }
  if (!waiter) return refusal ?? full("service", null);
  const none = waited ? null : enter(queue, waiter, state.places, now);
  return none ? full(none, refusal) : wait(queue, waiter, refusal, now);
}

/** Whether nobody goes before the caller. */
function isFree(queue: Queue, ask: { id: string; tenant: string }, waited: boolean, now: number): boolean {
  if (!waited) return head(queue, now) === null && !queue.lines.has(ask.tenant);
  // Its tenant's time has come, or it would not ask.
  if (queue.lines.get(ask.tenant)![0]!.id === ask.id) rouse(queue, ask.tenant);
  return head(queue, now)?.id === ask.id;
}

function wait(queue: Queue, waiter: Waiter, refusal: Refusal | null, now: number): Waiting {
  const first = head(queue, now)?.id === waiter.id;
  if (!first || !refusal) return { status: "waiting", retryAfterMs: null };
  if (refusal.scope === "tenant") rest(queue, waiter.tenant, refusal.retryAfterMs!, now);
  return { status: "waiting", retryAfterMs: refusal.retryAfterMs };
}

function full(scope: "service" | "tenant", refusal: Refusal | null): Refusal {
  return { status: "refused", reason: "queue_full", scope, retryAfterMs: refusal?.retryAfterMs ?? SHED_MS };
}

function waitingHelps({ reason, retryAfterMs }: Refusal): boolean {
  return retryAfterMs !== null && (reason === "rate_limited" || reason === "concurrency_limited");
}
