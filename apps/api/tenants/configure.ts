import type { Configure, KeyUse, TenantChange } from "#libs/ledger";

/** There is one operator, whom the journal names so. */
const ACTOR = "operator";

interface Why {
  readonly reason?: string;
  readonly key?: KeyUse;
}

export function configureCommand(tenantId: string, change: TenantChange, { reason, key }: Why = {}): Configure {
  return { type: "configure", tenantId, change, actor: ACTOR, reason: reason ?? null, key: key ?? null };
}
