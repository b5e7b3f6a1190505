import type { Command, Grounds, Scope } from "#libs/ledger";

/** What makes denials of a tenant alike. */
export interface Like {
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
}

/** Denials that are alike, and the last of them. */
export interface Tallied extends Like {
  readonly tenantId: string;
  count: number;
  /** Milliseconds since 1970, by the record's clock. */
  firstAt: number;
  command: Command;
  grounds: Grounds;
}

/**
 * The denials of one tenant. They are found by their job and a look at the few of it: to put what makes them alike into one text
 * would cost more than the rest of their way here.
 */
export class TenantTally implements Iterable<Tallied> {
  private readonly byJob = new Map<string, Tallied[]>();
  size = 0;

  find(like: Like): Tallied | undefined {
    return this.byJob.get(like.jobId)?.find((one) => isLike(one, like));
  }

  put(one: Tallied): void {
    const ofJob = this.byJob.get(one.jobId);
    if (ofJob) ofJob.push(one);
    else this.byJob.set(one.jobId, [one]);
    this.size += 1;
  }

  /** Adds to what is alike, or puts it in. */
  join(one: Tallied): void {
    const known = this.find(one);
    if (known) join(known, one);
    else this.put(one);
  }

  *[Symbol.iterator](): Iterator<Tallied> {
    for (const ofJob of this.byJob.values()) yield* ofJob;
  }
}

/** Adds what is alike. */
export function join(
  known: Tallied,
  { count, firstAt, command, grounds }: Omit<Tallied, keyof Like | "tenantId">,
): void {
  known.count += count;
  known.firstAt = Math.min(known.firstAt, firstAt);
  if (grounds.at < known.grounds.at) return;
  known.command = command;
  known.grounds = grounds;
}

/** What is not told apart any more. */
export function together(one: Tallied): Tallied {
  return { ...one, scopeId: "", jobId: "" };
}

/** Tells a tenant's share of a service from the service: no name of one has a space. */
export function nameOf({ id, tenantId }: Scope): string {
  return tenantId === undefined ? id : `${tenantId} ${id}`;
}

export function keyOf({ observed, code, kind, unit, service, jobId, scopeId }: Like): string {
  return `${observed} ${code} ${kind} ${unit} ${service} ${jobId} ${scopeId}`;
}

function isLike(one: Like, { scopeId, kind, unit, code, service, observed }: Like): boolean {
  return (
    one.scopeId === scopeId &&
    one.unit === unit &&
    one.kind === kind &&
    one.code === code &&
    one.service === service &&
    one.observed === observed
  );
}
