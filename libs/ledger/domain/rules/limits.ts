import type { Balance } from "../balance.js";
import type { TenantBook } from "../book.js";
import type { Configure } from "../commands.js";
import type { Instant, LimitChange } from "../entities.js";

/** Sets the limit of one balance and journals who did it and from what; `from` undefined: none was set. */
export function changeLimit(
  book: TenantBook,
  { actor, reason }: Configure,
  balance: Balance,
  { from, to, now }: { from: number | null | undefined; to: number | null; now: Instant },
): void {
  book.setLimit(balance, to);
  const { scope, unit, key } = balance;
  const detail: LimitChange = { scope, from, to, actor, reason };
  const user = scope.kind === "user" ? scope.id : null;
  book.addEntry({
    type: "limit",
    at: now,
    unit,
    reserved: 0,
    spent: 0,
    keys: [key],
    reservationId: null,
    jobId: null,
    user,
    detail,
  });
}
