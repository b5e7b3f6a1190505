import { BalanceView } from "../balances/balance.view.js";
import { choice, Shown, TEXT } from "../openapi/shown.js";
import { LIMIT } from "../openapi/schemas.js";
import { PERIODS } from "#libs/ledger";
import { AllowanceSettingView } from "../tenants/tenant.view.js";

/** An allowance of a tenant, and what was taken of it in the current window. */
export class AllowanceView extends AllowanceSettingView {
  @Shown(TEXT, { example: "tokens" })
  unit!: string;

  @Shown({ type: BalanceView })
  balance!: BalanceView;
}

/** A user's own limit; without a period of its own it counts in the tenant's windows. */
export class UserAllowanceView {
  @Shown(TEXT)
  user!: string;

  @Shown(TEXT, { example: "tokens" })
  unit!: string;

  @Shown(LIMIT)
  limit!: number | "unlimited";

  @Shown({ ...choice(PERIODS), nullable: true })
  period!: string | null;

  @Shown(TEXT, { nullable: true })
  timeZone!: string | null;

  @Shown({ type: BalanceView })
  balance!: BalanceView;
}
