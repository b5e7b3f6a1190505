/**
 * Every key in Redis is made here. All keys of a tenant carry its `{tag}`, so that a cluster keeps them together. The
 * balance key is already encoded so that two balances never meet.
 */
export function copyKey(tenantId: string, balanceKey: string): string {
  return `holdfast:{${tenantId}}:copy:${balanceKey}`;
}
