import { PageQuery } from "../lists/page.js";
import { AmountsField, ChoiceField, LabelsField, TextField, UserField } from "../validation/fields.js";
import { JOB_STATES } from "./job.view.js";

export class CreateJobBody {
  @UserField({ optional: true, description: "The end user that this is for, by the tenant's own name." })
  user?: string;

  @TextField({ max: 200, optional: true })
  name?: string;

  @LabelsField({ optional: true })
  labels?: Record<string, string>;

  @AmountsField({ optional: true, description: "Limits of this job, at most the tenant's job allowance." })
  allowance?: Record<string, number>;
}

export class JobsQuery extends PageQuery {
  @ChoiceField(JOB_STATES, { optional: true })
  state?: string;

  @TextField({ max: 200, optional: true })
  user?: string;
}
