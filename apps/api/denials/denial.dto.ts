import { PageQuery } from "../lists/page.js";
import { idSchema, ULID_PATTERN } from "../openapi/schemas.js";
import { ChoiceField, PatternField, UnitField } from "../validation/fields.js";

export const SCOPE_KINDS = ["service", "tenant", "user", "job"] as const;
export const DENIAL_CODES = ["allowance_exhausted", "exceeds_limit"] as const;

export class DenialsQuery extends PageQuery {
  @ChoiceField(SCOPE_KINDS, { optional: true, description: "The kind of the scope that decided." })
  kind?: string;

  @UnitField({ optional: true })
  unit?: string;

  @PatternField(new RegExp(`^job_${ULID_PATTERN}$`), "must be the id of a job", {
    optional: true,
    schema: idSchema("job"),
    description: "The job that asked.",
  })
  jobId?: string;

  @ChoiceField(DENIAL_CODES, { optional: true })
  code?: string;
}
