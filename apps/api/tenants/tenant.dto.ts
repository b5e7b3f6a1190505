import { AllowanceBody } from "../allowances/allowance.dto.js";
import { PageQuery } from "../lists/page.js";
import { ReasonBody } from "./reason.dto.js";
import { AmountsField, ChoiceField, ObjectsByUnitField, TextField } from "../validation/fields.js";
import { ENFORCEMENTS, TENANT_STATES } from "./tenant.view.js";

type Enforcement = (typeof ENFORCEMENTS)[number];

export class CreateTenantBody {
  @TextField({ max: 200 })
  name!: string;

  @ChoiceField(ENFORCEMENTS, {
    optional: true,
    description: "`observe` never denies: it records what would have been denied.",
  })
  enforcement?: Enforcement;

  @ObjectsByUnitField(() => AllowanceBody, { $ref: "#/components/schemas/AllowanceBody" })
  allowances!: Record<string, AllowanceBody>;

  @AmountsField({ optional: true, fewest: 0, description: "The limits that a job has unless it brings lower ones." })
  jobAllowance?: Record<string, number>;

  @AmountsField({ optional: true, fewest: 0, description: "The limits that a user has unless it has its own." })
  userAllowance?: Record<string, number>;
}

/** A merge patch (RFC 7396): what is not named stays, and null takes a unit away. The reason is the change's own. */
export class PatchTenantBody extends ReasonBody {
  @TextField({ max: 200, optional: true })
  name?: string;

  @ChoiceField(ENFORCEMENTS, { optional: true })
  enforcement?: Enforcement;

  @AmountsField({ optional: true, fewest: 0, nullable: true })
  jobAllowance?: Record<string, number | null>;

  @AmountsField({ optional: true, fewest: 0, nullable: true })
  userAllowance?: Record<string, number | null>;
}

export class TenantsQuery extends PageQuery {
  @ChoiceField(TENANT_STATES, { optional: true, description: "Without it, deleted tenants are left out." })
  state?: string;
}
