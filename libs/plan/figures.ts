import { MAX_AMOUNT } from "./amounts.js";

export type ScopeKind = "service" | "tenant" | "user" | "job";

/** What an allowance limits. */
export interface Scope {
  readonly kind: ScopeKind;
  readonly id: string;
  /** Of a service: the tenant whose share of it is limited; without it, the service as a whole. */
  readonly tenantId?: string;
}

/** The figures of an allowance that decide: integers of one unit. */
export interface Figures {
  /** null: unlimited. */
  readonly limit: number | null;
  /** Held now. */
  readonly reserved: number;
  /** Settled. */
  readonly spent: number;
}

/** What binds: a balance without a limit still ends where integers do. */
function bindingLimit(figures: Figures): number {
  return figures.limit ?? MAX_AMOUNT;
}

/** `max(0, limit − reserved − spent)`. */
export function available(figures: Figures): number {
  return Math.max(0, bindingLimit(figures) - figures.reserved - figures.spent);
}

/** `max(0, spent + reserved − limit)`, at most MAX_AMOUNT. Subtracts first, since the sum may pass 2^53 − 1. */
export function overage({ limit, reserved, spent }: Figures): number {
  return limit === null ? 0 : Math.min(Math.max(0, spent - limit + reserved), MAX_AMOUNT);
}

/** The admission rule: `spent + reserved + amount ≤ limit`. Subtracts, since the sum may pass 2^53 − 1. */
export function fits(figures: Figures, amount: number): boolean {
  return amount <= bindingLimit(figures) - figures.reserved - figures.spent;
}
