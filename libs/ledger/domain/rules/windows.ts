import { balancesAt, tenantPlace } from "../binding.js";
import type { TenantBook } from "../book.js";
import { done, refused, type OpenWindows, type Outcome } from "../commands.js";
import type { Instant } from "../entities.js";

/**
 * Opens the current window of each of the tenant's allowances that have a period, at exactly its limit. Level-triggered:
 * a window that is open already, by work or by an earlier command, is left alone.
 */
export function openWindows(book: TenantBook, { tenantId }: OpenWindows, now: Instant): Outcome {
  if (!book.tenant || book.tenant.state === "deleted") return refused("not_found", "There is no such tenant.");
  const { settings } = book;
  const units = Object.keys(settings.allowances).filter((unit) => settings.allowances[unit]!.period !== "none");
  const places = units.map((unit) => tenantPlace(tenantId, settings, unit, now));
  const missing = balancesAt(book, places).filter(({ version }) => version === 0);
  for (const balance of missing) book.setLimit(balance, balance.limit);
  return done({ opened: missing.length });
}
