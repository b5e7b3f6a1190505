import { TextField } from "../validation/fields.js";

/** Why something is done, for the journal. */
export class ReasonBody {
  @TextField({ max: 500, optional: true, description: "For the journal." })
  reason?: string;
}
