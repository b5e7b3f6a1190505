import { balancesAt, sharePlaces, tenantPlace } from "../binding.js";
import type { TenantBook } from "../book.js";
import { done, refused, type OpenWindows, type Outcome } from "../commands.js";
import type { Instant, TenantSettings } from "../entities.js";

/**
 * Opens the current window of each allowance in the book that has a period, shares of services too, at exactly its limit. Level-triggered:
 * a window that is open already, by work or by an earlier command, is left alone.
 */
export function openWindows(book: TenantBook, { tenantId }: OpenWindows, now: Instant): Outcome {
  if (!book.tenant || book.tenant.state === "deleted") return refused("not_found", "There is no such tenant.");
  const { settings } = book;
  const places = [
    ...periodic(settings.allowances).map((unit) => tenantPlace(tenantId, settings, unit, now)),
    ...Object.entries(settings.shares).flatMap(([service, share]) =>
      sharePlaces(tenantId, settings, service, periodic(share), now),
    ),
  ];
  const missing = balancesAt(book, places).filter(({ version }) => version === 0);
  for (const balance of missing) book.setLimit(balance, balance.limit);
  return done({ opened: missing.length });
}

function periodic(allowances: TenantSettings["allowances"]): string[] {
  return Object.keys(allowances).filter((unit) => allowances[unit]!.period !== "none");
}
