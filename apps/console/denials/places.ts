/** Where denials, and what they lead to, are found. */
export interface Places {
  /** Of the denials in the API. */
  readonly path: string;
  /** Of the denials in the console. */
  readonly to: string;
  /** Of the jobs in the console. */
  readonly jobs: string;
  /** Of the ledger in the console. */
  readonly ledger: string;
  /** Whoever looks sees those of every tenant. */
  readonly operator: boolean;
}

export const OWN: Places = { path: "/v1/denials", to: "/denials", jobs: "/jobs", ledger: "/ledger", operator: false };

/** Those of one tenant, for the operator. */
export function placesOf(tenantId: string): Places {
  const here = `/tenants/${tenantId}`;
  const path = `/v1/admin/tenants/${tenantId}/denials`;
  return { path, to: `${here}/denials`, jobs: `${here}/jobs`, ledger: `${here}/ledger`, operator: true };
}
