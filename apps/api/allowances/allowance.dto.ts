import { PERIODS, type Period } from "#libs/ledger";
import { ChoiceField, DeltaField, LimitField, TextField, TimeZoneField } from "../validation/fields.js";

export class AllowanceBody {
  @LimitField()
  limit!: number | "unlimited";

  @ChoiceField(PERIODS, {
    optional: true,
    description:
      "How long it counts before it starts anew. Left out: `none`, or what was set where one allowance is set by its unit.",
  })
  period?: Period;

  @TimeZoneField({
    optional: true,
    description: "Where its periods begin. Left out: UTC, or what was set where one allowance is set by its unit.",
  })
  timeZone?: string;
}

export class SetAllowanceBody extends AllowanceBody {
  @TextField({ max: 500, optional: true, description: "For the journal." })
  reason?: string;
}

export class AdjustBody {
  @DeltaField({ description: "What is added to the limit; negative to cut it." })
  delta!: number;

  @TextField({ max: 500, description: "For the journal." })
  reason!: string;
}

export class UserAllowanceBody {
  @LimitField()
  limit!: number | "unlimited";

  @ChoiceField(PERIODS, { optional: true, description: "Its own period; by default that of the tenant's allowance." })
  period?: Period;

  @TimeZoneField({ optional: true, description: "Its own time zone; by default that of the tenant's allowance." })
  timeZone?: string;

  @TextField({ max: 500, optional: true, description: "For the journal." })
  reason?: string;
}

/** The limit as the ledger keeps it: null is unlimited. */
export function limitOfBody(limit: number | "unlimited"): number | null {
  return limit === "unlimited" ? null : limit;
}
