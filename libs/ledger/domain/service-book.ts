import type { Scope } from "#libs/plan";

const PREFIX = "service:";

/**
 * The allowances of a service bind work of all tenants, so they are kept in a book of the service's own: its settings,
 * balances and entries stand under this id, where those of a tenant stand under the tenant's.
 */
export function serviceBookId(service: string): string {
  return PREFIX + service;
}

/** The service that a book is of; null for a tenant's. */
export function serviceOfBook(bookId: string): string | null {
  return bookId.startsWith(PREFIX) ? bookId.slice(PREFIX.length) : null;
}

/** What the allowances of a book limit as a whole: the tenant, or the service. */
export function scopeOfBook(bookId: string): Scope {
  const service = serviceOfBook(bookId);
  return service === null ? { kind: "tenant", id: bookId } : { kind: "service", id: service };
}
