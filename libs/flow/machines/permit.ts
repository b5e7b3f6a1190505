import { nextAttempt, type Attempts } from "./attempts.js";
import {
  finishAt,
  neverAt,
  passGate,
  refusalsAt,
  type Ask,
  type Gate,
  type GateReason,
  type Limits,
  type Pass,
} from "./gate.js";
import type { Outcome } from "./outcome.js";
import { countStart, waitForRetry, type RetryBudget, type RetryLimits } from "./retry-budget.js";

export type GateScope = "service" | "tenant";

/** A gate, the limits that bind there, and whose they are. */
export interface BoundGate {
  readonly scope: GateScope;
  readonly gate: Gate;
  readonly limits: Limits;
}

/** All that one permit is decided over. */
export interface PermitState {
  readonly attempts: Attempts;
  readonly retries: RetryBudget;
  /** The widest first. */
  readonly gates: readonly BoundGate[];
}

export interface PermitAsk extends Ask {
  readonly child: string;
  /** Attempts that the plan gives each child. */
  readonly planned: number;
  /** Attempts of this child that the caller has on record. */
  readonly known: number;
  readonly retry: RetryLimits;
}

export type RefusalReason = GateReason | "attempts_exhausted" | "retry_budget_exhausted" | "queue_full";

export interface Refusal {
  readonly status: "refused";
  readonly reason: RefusalReason;
  readonly scope: GateScope | "job" | "reservation";
  /** A caller that asks again after so long, and is alone, is let through. Null: waiting does not help. */
  readonly retryAfterMs: number | null;
}

export interface Grant {
  readonly status: "granted";
  /** Which attempt of the child it is, from 1. */
  readonly attempt: number;
  /** Milliseconds, by the clock of the store. */
  readonly grantedAt: number;
  /** One for each gate, in their order. */
  readonly passes: readonly Pass[];
}

/**
 * Decides one permit over everything that bounds it, in one step: it takes at every gate, or nothing anywhere.
 *
 * The order: what waiting does not help against (attempts of the plan; then, gate by gate, rate 0, a cost above the burst,
 * no places), then the job's retries, then the gates: breaker, concurrency, rate. Where several of these refuse, the one
 * with the longest wait is told, and of equals the first.
 */
export function decidePermit(state: PermitState, ask: PermitAsk, now: number): Grant | Refusal {
  return refusalOf(state, ask, now) ?? grantOf(state, ask, now);
}

/** Takes everything that the permit needs. `refusalOf` found nothing against it. */
export function grantOf(state: PermitState, ask: PermitAsk, now: number): Grant {
  const attempt = nextAttempt(state.attempts, ask.child, ask.known);
  state.attempts.set(ask.child, attempt);
  countStart(state.retries, ask.retry, attempt > 1, now);
  const passes = state.gates.map(({ gate, limits }) => passGate(gate, limits, ask, now));
  return { status: "granted", attempt, grantedAt: now, passes };
}

/** Ends a permit at every gate. False where it had ended at one of them, by itself or by an earlier call. */
export function finishPermit(
  gates: readonly BoundGate[],
  permit: {
    readonly id: string;
    readonly grantedAt: number;
    readonly passes: readonly Pass[];
    readonly outcome: Outcome;
  },
  now: number,
): boolean {
  const ended = gates.map(({ gate, limits }, i) => finishAt(gate, limits, { ...permit, ...permit.passes[i]! }, now));
  return ended.every(Boolean);
}

/** What refuses the permit, if anything does. Takes nothing. */
export function refusalOf(state: PermitState, ask: PermitAsk, now: number): Refusal | null {
  const attempt = nextAttempt(state.attempts, ask.child, ask.known);
  if (attempt > ask.planned) return refused("attempts_exhausted", "reservation", null);
  for (const { scope, limits } of state.gates) {
    const never = neverAt(limits, ask);
    if (never) return refused(never.reason, scope, null);
  }
  const retryMs = attempt > 1 ? waitForRetry(state.retries, ask.retry, now) : 0;
  if (retryMs === null) return refused("retry_budget_exhausted", "job", null);
  let longest = retryMs > 0 ? refused("retry_budget_exhausted", "job", retryMs) : null;
  for (const { scope, gate, limits } of state.gates) {
    for (const { reason, waitMs } of refusalsAt(gate, limits, ask, now)) {
      if (waitMs! > (longest?.retryAfterMs ?? 0)) longest = refused(reason, scope, waitMs);
    }
  }
  return longest;
}

function refused(reason: RefusalReason, scope: Refusal["scope"], retryAfterMs: number | null): Refusal {
  return { status: "refused", reason, scope, retryAfterMs };
}
