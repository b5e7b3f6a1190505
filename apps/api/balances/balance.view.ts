import { AMOUNT, LIMIT, SCOPE, WINDOW } from "../openapi/schemas.js";
import { Shown, TEXT } from "../openapi/shown.js";

/** One limit and what was taken of it. */
export class BalanceView {
  @Shown(SCOPE)
  scope!: object;

  @Shown(TEXT, { example: "tokens" })
  unit!: string;

  @Shown(WINDOW)
  window!: string;

  @Shown(LIMIT)
  limit!: number | "unlimited";

  @Shown(AMOUNT, { description: "Held by open reservations." })
  reserved!: number;

  @Shown(AMOUNT, { description: "Settled." })
  spent!: number;

  @Shown(AMOUNT, { description: "max(0, limit − reserved − spent)" })
  available!: number;

  @Shown(AMOUNT, { description: "max(0, spent + reserved − limit)" })
  overage!: number;
}
