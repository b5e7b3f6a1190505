import { PERIODS } from "#libs/ledger";
import { AMOUNTS, idSchema, INSTANT, LIMIT, unitMapSchema } from "../openapi/schemas.js";
import { choice, MaybeShown, Shown, TEXT } from "../openapi/shown.js";

export const ENFORCEMENTS = ["enforce", "observe"] as const;
export const TENANT_STATES = ["active", "suspended", "deleted"] as const;

/** An allowance as it is set. */
export class AllowanceSettingView {
  @Shown(LIMIT)
  limit!: number | "unlimited";

  @Shown(choice(PERIODS))
  period!: string;

  @Shown(TEXT, { example: "Europe/Berlin" })
  timeZone!: string;
}

export class TenantView {
  @Shown(idSchema("ten"))
  id!: string;

  @Shown(TEXT)
  name!: string;

  @Shown(choice(ENFORCEMENTS))
  enforcement!: string;

  @Shown(choice(TENANT_STATES))
  state!: string;

  @Shown(unitMapSchema({ $ref: "#/components/schemas/AllowanceSettingView" }))
  allowances!: object;

  @Shown(AMOUNTS, { description: "The limits that a job has unless it brings lower ones." })
  jobAllowance!: object;

  @Shown(AMOUNTS, { description: "The limits that a user has unless it has its own." })
  userAllowance!: object;

  @Shown(INSTANT)
  createdAt!: string;

  @MaybeShown(INSTANT)
  deletedAt?: string;
}
