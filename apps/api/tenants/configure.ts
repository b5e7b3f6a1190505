import type { By, Configure, KeyUse, TenantChange } from "#libs/ledger";

/** There is one operator, whom the journal names so. */
const ACTOR = "operator";

interface Why {
  readonly reason?: string | undefined;
  readonly key?: KeyUse;
}

export function byOperator(reason: string | undefined): By {
  return { actor: ACTOR, reason: reason ?? null };
}

export function configureCommand(tenantId: string, change: TenantChange, { reason, key }: Why = {}): Configure {
  return { type: "configure", tenantId, change, ...byOperator(reason), key: key ?? null };
}
