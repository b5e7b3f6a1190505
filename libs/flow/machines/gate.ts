import { adapt, adaptiveLimit, noteStart, startAdaptive, type Adaptive, type AdaptiveLimits } from "./adaptive.js";
import { closedBreaker, hearResult, passBreaker, waitForBreaker, type Breaker, type BreakerLimits } from "./breaker.js";
import { Leases } from "./leases.js";
import type { Outcome } from "./outcome.js";
import { followClock, fullBucket, takeTokens, waitForTokens, type Bucket, type Rate } from "./token-bucket.js";

/** What bounds attempts at one gate: a service as a whole, or one tenant at it. What is left out does not bind; 0 does. */
export interface Limits {
  readonly rate?: Rate;
  /** Most attempts in flight. */
  readonly concurrency?: number;
  readonly breaker?: BreakerLimits;
  readonly adaptive?: AdaptiveLimits;
}

/** What stands at one gate. */
export interface Gate {
  bucket: Bucket | null;
  leases: Leases;
  breaker: Breaker;
  adaptive: Adaptive | null;
}

/** What a permit keeps of a gate: the generations of breaker and limit in which it was passed. */
export interface Pass {
  readonly epoch: number;
  readonly round: number;
}

export type GateReason = "breaker_open" | "concurrency_limited" | "rate_limited" | "cost_exceeds_burst";

/** `waitMs` null: never. */
export interface GateRefusal {
  readonly reason: GateReason;
  readonly waitMs: number | null;
}

export interface Ask {
  readonly id: string;
  /** Tokens of the rate. */
  readonly cost: number;
  readonly leaseMs: number;
}

export function newGate(): Gate {
  return { bucket: null, leases: new Leases(), breaker: closedBreaker(), adaptive: null };
}

/** What no waiting helps against: it follows from the limits alone. */
export function neverAt({ rate, concurrency }: Limits, { cost }: Ask): GateRefusal | null {
  if (rate && rate.ratePerSecond <= 0) return { reason: "rate_limited", waitMs: null };
  if (rate && cost > rate.burst) return { reason: "cost_exceeds_burst", waitMs: null };
  if (concurrency !== undefined && concurrency < 1) return { reason: "concurrency_limited", waitMs: null };
  return null;
}

/** All that refuses now, in the order breaker, concurrency, rate. Takes nothing. Call `neverAt` first. */
export function refusalsAt(gate: Gate, limits: Limits, { cost, leaseMs }: Ask, now: number): GateRefusal[] {
  gate.leases.endOverdue(leaseMs, now);
  if (gate.bucket) followClock(gate.bucket, now);
  const { breaker, rate } = limits;
  const waits: GateRefusal[] = [
    { reason: "breaker_open", waitMs: breaker ? waitForBreaker(gate.breaker, breaker, now) : 0 },
    { reason: "concurrency_limited", waitMs: gate.leases.waitForPlace(placesAt(gate, limits), now) },
    { reason: "rate_limited", waitMs: rate ? waitForTokens(bucketOf(gate, rate, now), rate, cost, now) : 0 },
  ];
  return waits.filter(({ waitMs }) => waitMs !== 0);
}

/** Takes a place and the tokens. `refusalsAt` found nothing against it. */
export function passGate(gate: Gate, limits: Limits, { id, cost, leaseMs }: Ask, now: number): Pass {
  gate.leases.hold(id, now + leaseMs);
  if (limits.rate) {
    gate.bucket = bucketOf(gate, limits.rate, now);
    takeTokens(gate.bucket, limits.rate, cost, now);
  }
  if (limits.adaptive) {
    gate.adaptive ??= startAdaptive();
    noteStart(gate.adaptive, limits.adaptive, gate.leases.size, now);
  }
  return {
    epoch: limits.breaker ? passBreaker(gate.breaker, limits.breaker, id, now) : 0,
    round: limits.adaptive ? gate.adaptive!.round : 0,
  };
}

/** Frees the place and tells breaker and limit how it went. False, and nothing told, where the place was not held any more. */
export function finishAt(
  gate: Gate,
  limits: Limits,
  permit: Pass & { readonly id: string; readonly grantedAt: number; readonly outcome: Outcome },
  now: number,
): boolean {
  if (!gate.leases.release(permit.id, now)) return false;
  if (limits.breaker) hearResult(gate.breaker, limits.breaker, permit, now);
  if (limits.adaptive) {
    gate.adaptive ??= startAdaptive();
    adapt(gate.adaptive, limits.adaptive, permit, now);
  }
  return true;
}

/** Places that there are at the gate now; Infinity where nothing bounds them. */
export function placesAt({ adaptive }: Gate, limits: Limits): number {
  const fixed = limits.concurrency ?? Number.POSITIVE_INFINITY;
  if (!limits.adaptive) return fixed;
  return Math.min(fixed, adaptiveLimit(adaptive ?? startAdaptive(), limits.adaptive));
}

function bucketOf({ bucket }: Gate, rate: Rate, now: number): Bucket {
  return bucket ?? fullBucket(rate, now);
}
