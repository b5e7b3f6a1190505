import { BalanceView } from "../balances/balance.view.js";
import { Shown, TEXT } from "../openapi/shown.js";

/** A user of a tenant, and what was taken of its limits. */
export class UserView {
  @Shown(TEXT)
  user!: string;

  @Shown({ type: "array", items: TEXT }, { description: "Units in which the user has a limit of its own." })
  ownLimits!: string[];

  @Shown({ type: [BalanceView] }, { description: "In every unit of the tenant, each in its current window." })
  balances!: BalanceView[];
}
