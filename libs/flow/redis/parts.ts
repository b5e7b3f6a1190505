import type { Limits, Pass } from "../machines/gate.js";
import type { Permit, PermitRequest, ServiceLimits } from "../store.js";
import { attemptsKey, queueKeys, retriesKey, serviceGateKeys, tenantGateKeys } from "./keys.js";

/** What one ask of a script is about, by its keys. */
export interface Part {
  readonly gates: readonly PartGate[];
  readonly attempts?: string;
  readonly retries?: string;
  /** The keys of the queue. */
  readonly queue?: readonly string[];
}

export interface PartGate {
  readonly scope: "service" | "tenant";
  readonly keys: readonly string[];
  readonly limits: Limits;
}

/** A part of a permit that is in force, with what the permit kept of each gate. */
export interface HeldPart {
  readonly part: Part;
  readonly passes: readonly Pass[];
}

/**
 * The asks that a request takes, in their order: one; in a cluster, where a script may touch the keys of one tag alone,
 * what is the service's and then what is the tenant's.
 */
export function partsOf({ tenantId, reservationId, jobId, service }: PermitRequest, split: boolean): Part[] {
  const counts = { attempts: attemptsKey(tenantId, reservationId), retries: retriesKey(tenantId, jobId) };
  if (!service) return [{ gates: [], ...counts }];
  const { name, limits, tenantLimits } = service;
  const whole = serviceGate(name, limits);
  const own = tenantLimits ? [tenantGate(tenantId, name, tenantLimits)] : [];
  const queue = limits.queue && { queue: queueKeys(name) };
  if (!split) return [{ gates: [whole, ...own], ...counts, ...queue }];
  return [
    { gates: [whole], ...queue },
    { gates: own, ...counts },
  ];
}

/** The asks that end a permit. The tenant's come first: its waiters are woken by the service's. */
export function heldPartsOf(permit: Permit, service: ServiceLimits | null, split: boolean): HeldPart[] {
  const { service: name, tenantId, passes } = permit;
  if (name === null) return [];
  const whole = serviceGate(name, service?.limits ?? {});
  const own = passes.length > 1 ? [tenantGate(tenantId, name, service?.tenantLimits ?? {})] : [];
  const queue = queueKeys(name);
  if (!split) return [{ part: { gates: [whole, ...own], queue }, passes }];
  const last = { part: { gates: [whole], queue }, passes: passes.slice(0, 1) };
  return own.length > 0 ? [{ part: { gates: own }, passes: passes.slice(1) }, last] : [last];
}

export function serviceGate(name: string, limits: Limits): PartGate {
  return { scope: "service", keys: serviceGateKeys(name), limits };
}

export function tenantGate(tenantId: string, service: string, limits: Limits): PartGate {
  return { scope: "tenant", keys: tenantGateKeys(tenantId, service), limits };
}
