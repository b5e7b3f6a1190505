/**
 * Every key in Redis is made here. What belongs to a service carries its `{tag}`, what belongs to a tenant the tenant's, so
 * that a cluster keeps each together. Names are encoded, so that two of them never meet on one key.
 */

const encoded = encodeURIComponent;
const MOST_MADE = 1_000;

/** The gate of a service as a whole; in the order of scripts/includes/gateKeys.lua. */
export const serviceGateKeys = madeOnce((service) => gateKeys(`holdfast:{${encoded(service)}}:service`));

/** The gate of one tenant at a service. */
export function tenantGateKeys(tenantId: string, service: string): string[] {
  return gateKeys(`holdfast:{${encoded(tenantId)}}:at:${encoded(service)}`);
}

/** In the order of scripts/includes/queueKeys.lua. */
export const queueKeys = madeOnce((service) =>
  ["line", "turns", "waiters", "resting", "alive"].map((name) => `holdfast:{${encoded(service)}}:queue:${name}`),
);

export function attemptsKey(tenantId: string, reservationId: string): string {
  return `holdfast:{${encoded(tenantId)}}:attempts:${encoded(reservationId)}`;
}

export function retriesKey(tenantId: string, jobId: string): string {
  return `holdfast:{${encoded(tenantId)}}:retries:${encoded(jobId)}`;
}

/** What keeps keys together in a cluster. */
export function tagOf(key: string): string {
  return key.slice(0, key.indexOf("}"));
}

/** The channel on which a process is told whose turn it is, without the name of the process. */
export const WAKE_CHANNEL = "holdfast:flow:wake:";

/** Each permit names the keys of its service twice; there are few services, and more than that are made anew. */
function madeOnce(make: (service: string) => readonly string[]): (service: string) => readonly string[] {
  const made = new Map<string, readonly string[]>();
  return (service) => {
    let keys = made.get(service);
    if (!keys) {
      if (made.size >= MOST_MADE) made.clear();
      made.set(service, (keys = make(service)));
    }
    return keys;
  };
}

function gateKeys(prefix: string): string[] {
  return ["bucket", "leases", "state", "failures", "probes"].map((name) => `${prefix}:${name}`);
}
