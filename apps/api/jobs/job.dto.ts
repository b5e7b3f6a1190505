import { PageQuery } from "../lists/page.js";
import { idSchema, ULID_PATTERN } from "../openapi/schemas.js";
import {
  AmountsField,
  ChoiceField,
  LabelsField,
  NotTogetherWith,
  PatternField,
  TextField,
  UserField,
} from "../validation/fields.js";
import { JOB_STATES } from "./job.view.js";

/** Any text: an id of the wrong shape is the id of nothing, as in a path. */
export function JobIdField(options: { optional?: boolean; description?: string } = {}): PropertyDecorator {
  return PatternField(/^[^]*$/, "must be the id of a job", { ...options, schema: idSchema("job") });
}

export class CreateJobBody {
  @UserField({ optional: true, description: "The end user that this is for, by the tenant's own name." })
  user?: string;

  @TextField({ max: 200, optional: true })
  name?: string;

  @LabelsField({ optional: true })
  labels?: Record<string, string>;

  @NotTogetherWith("parentJobId")
  @AmountsField({ optional: true, description: "Limits of this job, at most the tenant's job allowance." })
  allowance?: Record<string, number>;

  @JobIdField({ optional: true, description: "The open job that this is a child of; its user is the child's too." })
  parentJobId?: string;

  @AmountsField({
    onlyWith: "parentJobId",
    description:
      "What the child may spend, held at the parent at once; of units that are not named it may spend nothing.",
  })
  grant?: Record<string, number>;
}

export class JobsQuery extends PageQuery {
  @ChoiceField(JOB_STATES, { optional: true })
  state?: string;

  @TextField({ max: 200, optional: true })
  user?: string;

  @PatternField(new RegExp(`^job_${ULID_PATTERN}$`), "must be the id of a job", {
    optional: true,
    schema: idSchema("job"),
  })
  parentJobId?: string;
}
