/**
 * One decision: does an amount fit every scope, and if not, which scope says so.
 *
 * Written apart from the ledger's own rules on purpose: the lab compares the two, and a copy would agree with itself.
 */

export type ScopeKind = "job" | "user" | "tenant" | "service";

/** `exceeds_limit`: can never fit under this limit. `allowance_exhausted`: does not fit now. */
export type DenialCode = "allowance_exhausted" | "exceeds_limit";

/** Narrowest first: the scope closest to the work explains a denial best. */
export const SCOPES_NARROWEST_FIRST: readonly ScopeKind[] = ["job", "user", "tenant", "service"];

/** What a scope has at one moment, in one unit. All figures are integers ≥ 0. */
export interface Figures {
  readonly limit: number;
  /** Held by open reservations. */
  readonly reserved: number;
  /** Settled. */
  readonly spent: number;
  /** `max(0, limit − reserved − spent)` */
  readonly available: number;
  /** `max(0, spent + reserved − limit)` */
  readonly overage: number;
}

export interface Denial {
  readonly scope: ScopeKind;
  readonly code: DenialCode;
}

export function figures(limit: number, reserved: number, spent: number): Figures {
  return {
    limit,
    reserved,
    spent,
    available: Math.max(0, limit - reserved - spent),
    overage: Math.max(0, spent + reserved - limit),
  };
}

/**
 * The denial that a request meets, or null when it fits every scope.
 *
 * When several scopes deny, one that can never hold the request (`requested > limit`) comes first, since waiting
 * would not help; among equals the narrowest comes first.
 */
export function denialOf(scopes: Readonly<Partial<Record<ScopeKind, Figures>>>, requested: number): Denial | null {
  const denying = SCOPES_NARROWEST_FIRST.flatMap((scope) => {
    const now = scopes[scope];
    return now !== undefined && requested > now.available ? [{ scope, limit: now.limit }] : [];
  });
  const hopeless = denying.find(({ limit }) => requested > limit);
  if (hopeless) return { scope: hopeless.scope, code: "exceeds_limit" };
  const first = denying[0];
  return first ? { scope: first.scope, code: "allowance_exhausted" } : null;
}
