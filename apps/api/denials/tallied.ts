import type { Command, Grounds, Scope } from "#libs/ledger";

/** Denials that are alike, and the last of them. */
export interface Tallied {
  readonly tenantId: string;
  readonly kind: string;
  /** Empty: several scopes together. */
  readonly scopeId: string;
  readonly unit: string;
  readonly code: string;
  /** Empty: none. */
  readonly service: string;
  /** Empty: several jobs together. */
  readonly jobId: string;
  /** They were let through, since the tenant only observes. */
  readonly observed: boolean;
  count: number;
  /** Milliseconds since 1970, by the record's clock. */
  firstAt: number;
  command: Command;
  grounds: Grounds;
}

/** What is not told apart any more. */
export function together(one: Tallied): Tallied {
  return { ...one, scopeId: "", jobId: "" };
}

/** Adds to what is alike in the map, or puts it there. */
export function joinIn(alike: Map<string, Tallied>, one: Tallied): void {
  const known = alike.get(keyOf(one));
  if (known) join(known, one);
  else alike.set(keyOf(one), one);
}

/** Tells a tenant's share of a service from the service: no name of one has a space. */
export function nameOf({ id, tenantId }: Scope): string {
  return tenantId === undefined ? id : `${tenantId} ${id}`;
}

export function keyOf({ observed, code, kind, unit, service, jobId, scopeId }: Tallied): string {
  return `${observed} ${code} ${kind} ${unit} ${service} ${jobId} ${scopeId}`;
}

/** Adds what is alike. */
export function join(known: Tallied, { count, firstAt, command, grounds }: Tallied): void {
  known.count += count;
  known.firstAt = Math.min(known.firstAt, firstAt);
  if (grounds.at >= known.grounds.at) Object.assign(known, { command, grounds });
}
