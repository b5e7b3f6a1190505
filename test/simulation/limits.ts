import type { Instant, SettingChange } from "#libs/ledger";
import { accountKey, hourOf } from "./accounts.js";
import type { Ledgered } from "./auditor.js";
import { withSetting, type Writes } from "./tables.js";
import { USERS } from "./workload.js";

/** Keeps what was set at `decidedAt`. */
export function wrongSettings(known: Ledgered, changes: readonly SettingChange[], decidedAt: Instant): string[] {
  for (const change of changes) {
    known.settings = withSetting(known.settings, change);
    if (change.kind !== "user") continue;
    const whose = `${change.user} ${change.unit}`;
    if (change.setting) known.own.set(whose, change.setting.limit);
    else known.own.delete(whose);
  }
  const units = changes.flatMap(({ kind, unit }) => (kind === "userDefault" ? [unit] : []));
  return units.flatMap((unit) => unreached(known, unit, decidedAt));
}

/** What is wrong after a change of the default: users without a limit of their own have it, in the window that runs. */
function unreached({ accounts, own, settings }: Ledgered, unit: string, now: Instant): string[] {
  const window = settings.allowances[unit]!.period === "hour" ? hourOf(now) : "none";
  return USERS.flatMap((user) => {
    if (user === null || own.has(`${user} ${unit}`)) return [];
    const account = accounts.find(accountKey("user", user, unit, window));
    return account && account.limit !== (settings.userAllowance[unit] ?? null)
      ? [`the default did not reach ${user}`]
      : [];
  });
}

/** The users' default; where a commit changes it, before or after as the user's new balance says. */
export function defaultOf({ settings }: Ledgered, user: string, unit: string, writes: Writes): number | null {
  const changes = writes.settings.flatMap((one) =>
    one.kind === "userDefault" && one.unit === unit ? [one.limit] : [],
  );
  const start = accountKey("user", user, unit, "");
  const row = writes.balances.find(({ balance, readVersion }) => readVersion === 0 && balance.key.startsWith(start));
  return row && changes.includes(row.balance.limit) ? row.balance.limit : (settings.userAllowance[unit] ?? null);
}
