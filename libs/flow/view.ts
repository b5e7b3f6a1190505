import { adaptiveLimit, startAdaptive } from "./machines/adaptive.js";
import { phaseOf } from "./machines/breaker.js";
import { placesAt, type Gate, type Limits } from "./machines/gate.js";
import { fullBucket, tokensIn } from "./machines/token-bucket.js";
import type { ServiceView } from "./store.js";

/** What an operator sees of a gate; leases and queue are counted by the store. */
export function viewOf(
  gate: Gate,
  limits: Limits,
  counted: Pick<ServiceView, "inFlight" | "holders" | "waiting">,
  now: number,
): ServiceView {
  const { adaptive, rate } = limits;
  const places = placesAt(gate, limits);
  return {
    ...counted,
    places: Number.isFinite(places) ? places : null,
    adaptiveLimit: adaptive ? adaptiveLimit(gate.adaptive ?? startAdaptive(), adaptive) : null,
    tokens: rate ? tokensIn(gate.bucket ?? fullBucket(rate, now), rate, now) : null,
    breaker: phaseOf(gate.breaker, now),
  };
}

/** Who waits, as far as it is the tenant's business. */
export function waitingOf(waiting: ServiceView["waiting"], tenantId: string | undefined): ServiceView["waiting"] {
  if (tenantId === undefined) return waiting;
  return Object.fromEntries(Object.entries(waiting).filter(([tenant]) => tenant === tenantId));
}
