import type { Balance } from "../api/types.js";
import { amount, limitText } from "./format.js";
import css from "./balance-bar.module.css";

/** What of a limit is spent, reserved and available. */
export function BalanceBar({ balance }: { readonly balance: Balance }) {
  const { unit, limit, spent, reserved, available, overage } = balance;
  const whole = Math.max(limit === "unlimited" ? spent + reserved : limit, spent + reserved, 1);
  const share = (part: number): string => `${(100 * part) / whole}%`;
  const words =
    `${amount(spent)} spent, ${amount(reserved)} reserved, ` +
    (limit === "unlimited" ? "unlimited" : `${amount(available)} of ${limitText(limit)} available`) +
    (overage > 0 ? `, ${amount(overage)} over` : "");
  return (
    <div className={css.balance}>
      <div className={css.words}>
        <strong>{unit}</strong>
        <span>{words}</span>
      </div>
      <div className={css.bar} role="img" aria-label={`${unit}: ${words}`}>
        <span className={css.spent} style={{ width: share(spent) }} />
        <span className={css.reserved} style={{ width: share(reserved) }} />
        {overage > 0 && typeof limit === "number" && <span className={css.limit} style={{ left: share(limit) }} />}
      </div>
    </div>
  );
}
