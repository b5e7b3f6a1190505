import type { Limits, Pass } from "../machines/gate.js";
import type { Permit, PermitRequest, ServiceLimits } from "../store.js";
import { attemptsKey, queueKeys, retriesKey, serviceGateKeys, tenantGateKeys } from "./keys.js";

/** What one call of a script decides over. */
export interface Part {
  readonly keys: readonly string[];
  readonly gates: readonly { readonly scope: "service" | "tenant"; readonly limits: Limits }[];
  /** The first of the keys of each kind, counted from 1. */
  readonly at: { readonly attempts?: number; readonly retries?: number; readonly queue?: number };
}

/** A part of a permit that is in force, with what the permit kept of each gate. */
export interface HeldPart extends Part {
  readonly gates: readonly (Part["gates"][number] & Pass)[];
}

interface Pieces {
  readonly service?: { readonly name: string; readonly limits: Limits } | false | undefined;
  readonly tenant?: { readonly id: string; readonly at: string; readonly limits: Limits } | false | undefined;
  readonly counts?: { readonly attempts: string; readonly retries: string };
  /** Name of the service. */
  readonly queue?: string | false | undefined;
}

/**
 * The calls that a request takes, in their order: one; in a cluster, where a script may touch the keys of one tag alone,
 * what is the service's and then what is the tenant's.
 */
export function partsOf({ tenantId, reservationId, jobId, service }: PermitRequest, split: boolean): Part[] {
  const tenant = service?.tenantLimits && { id: tenantId, at: service.name, limits: service.tenantLimits };
  const counts = { attempts: attemptsKey(tenantId, reservationId), retries: retriesKey(tenantId, jobId) };
  const queue = service?.limits.queue && service.name;
  if (!service) return [partOf({ counts })];
  if (!split) return [partOf({ service, tenant, counts, queue })];
  return [partOf({ service, queue }), partOf({ tenant, counts })];
}

/** The calls that end a permit. The tenant's come first: its waiters are woken by the service's. */
export function heldPartsOf(permit: Permit, limits: ServiceLimits | null, split: boolean): HeldPart[] {
  const { service: name, tenantId, passes } = permit;
  if (name === null) return [];
  const service = { name, limits: limits?.limits ?? {} };
  const tenant = passes.length > 1 && { id: tenantId, at: name, limits: limits?.tenantLimits ?? {} };
  if (!split) return [held(partOf({ service, tenant, queue: name }), passes)];
  const last = held(partOf({ service, queue: name }), passes);
  return tenant ? [held(partOf({ tenant }), passes.slice(1)), last] : [last];
}

function held(part: Part, passes: readonly Pass[]): HeldPart {
  return { ...part, gates: part.gates.map((gate, i) => ({ ...gate, ...passes[i]! })) };
}

function partOf({ service, tenant, counts, queue }: Pieces): Part {
  const keys: string[] = [];
  const gates: Part["gates"][number][] = [];
  const add = (more: readonly string[]): number => keys.push(...more) - more.length + 1;
  if (service) {
    add(serviceGateKeys(service.name));
    gates.push({ scope: "service", limits: service.limits });
  }
  if (tenant) {
    add(tenantGateKeys(tenant.id, tenant.at));
    gates.push({ scope: "tenant", limits: tenant.limits });
  }
  const at = {
    ...(counts && { attempts: add([counts.attempts]), retries: add([counts.retries]) }),
    ...(queue && { queue: add(queueKeys(queue)) }),
  };
  return { keys, gates, at };
}
