/**
 * Every key in Redis is made here. What belongs to a service carries its `{tag}`, what belongs to a tenant the tenant's, so
 * that a cluster keeps each together. Names are encoded, so that two of them never meet on one key.
 */

const encoded = encodeURIComponent;

/** The gate of a service as a whole; in the order of scripts/includes/gateKeys.lua. */
export function serviceGateKeys(service: string): string[] {
  return gateKeys(`holdfast:{${encoded(service)}}:service`);
}

/** The gate of one tenant at a service. */
export function tenantGateKeys(tenantId: string, service: string): string[] {
  return gateKeys(`holdfast:{${encoded(tenantId)}}:at:${encoded(service)}`);
}

/** In the order of scripts/includes/queueKeys.lua. */
export function queueKeys(service: string): string[] {
  return ["line", "turns", "waiters", "resting", "alive"].map((name) => `holdfast:{${encoded(service)}}:queue:${name}`);
}

export function attemptsKey(tenantId: string, reservationId: string): string {
  return `holdfast:{${encoded(tenantId)}}:attempts:${encoded(reservationId)}`;
}

export function retriesKey(tenantId: string, jobId: string): string {
  return `holdfast:{${encoded(tenantId)}}:retries:${encoded(jobId)}`;
}

/** The leases among the keys of a gate. */
export function leasesOf(gate: readonly string[]): string {
  return gate[1]!;
}

/** The channel on which a process is told whose turn it is, without the name of the process. */
export const WAKE_CHANNEL = "holdfast:flow:wake:";

function gateKeys(prefix: string): string[] {
  return ["bucket", "leases", "state", "failures", "probes"].map((name) => `${prefix}:${name}`);
}
