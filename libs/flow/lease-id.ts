/**
 * A permit is known at the gates by the id of its request and by whose it is, so that an operator can be told who holds
 * the places. One of before that was so is known by its id alone.
 */
export function leaseIdOf({ id, tenantId }: { readonly id: string; readonly tenantId: string }): string {
  return `${id}@${encodeURIComponent(tenantId)}`;
}

/** The id of the request that a permit was given for. */
export function requestIdOf(leaseId: string): string {
  return leaseId.split("@", 1)[0]!;
}

/** Tenant → how many of the leases are its own. */
export function holdersOf(leaseIds: Iterable<string>): Record<string, number> {
  const holders = new Map<string, number>();
  for (const leaseId of leaseIds) {
    const [, tenant] = leaseId.split("@", 2);
    if (tenant !== undefined) holders.set(tenant, (holders.get(tenant) ?? 0) + 1);
  }
  return Object.fromEntries([...holders].map(([tenant, count]) => [decodeURIComponent(tenant), count]));
}
