import { lookUp } from "#libs/plan";
import { balancesAt, servicePlaces } from "../binding.js";
import type { TenantBook } from "../book.js";
import { done, type Configure, type Outcome, type TenantChange } from "../commands.js";
import type { AllowanceSetting, Instant, Tenant } from "../entities.js";
import { changeLimit } from "./limits.js";

/**
 * Replaces all that is set for a service. An allowance that is not named any more does not bind; what was taken of it
 * stays on record, and is found again where the allowance is set again.
 */
export function setService(
  book: TenantBook,
  tenant: Tenant,
  command: Configure,
  { allowances, flow }: Extract<TenantChange, { change: "service" }>,
  now: Instant,
): Outcome {
  const before = book.settings;
  const after = { ...before, allowances };
  const named = Object.keys(allowances);
  const dropped = Object.keys(before.allowances).filter((unit) => !lookUp(allowances, unit));
  // Also those that stay as they are: a change that is repeated tells the copies of them again.
  const balances = balancesAt(book, [
    ...servicePlaces(book.tenantId, after, named, now),
    ...servicePlaces(book.tenantId, before, dropped, now),
  ]);
  const changed = balances.filter(({ unit }) => !isSame(lookUp(before.allowances, unit), lookUp(allowances, unit)));
  book.settings = after;
  for (const balance of changed) {
    const [from, to] = [lookUp(before.allowances, balance.unit), lookUp(allowances, balance.unit)];
    changeLimit(book, command, balance, { from: from?.limit, to: to?.limit ?? null, now });
  }
  book.reconfigure(
    tenant,
    changed.map(({ unit }) => ({ kind: "tenant", unit, setting: lookUp(allowances, unit) ?? null })),
  );
  book.changes.flow = flow;
  return done({});
}

function isSame(one: AllowanceSetting | undefined, other: AllowanceSetting | undefined): boolean {
  return one?.limit === other?.limit && one?.period === other?.period && one?.timeZone === other?.timeZone;
}
