import { PageQuery } from "../lists/page.js";
import { idSchema, ULID_PATTERN } from "../openapi/schemas.js";
import { ChoiceField, PatternField, TextField, UnitField } from "../validation/fields.js";
import { ENTRY_TYPES } from "./entry.view.js";

export class EntriesQuery extends PageQuery {
  @PatternField(new RegExp(`^job_${ULID_PATTERN}$`), "must be the id of a job", {
    optional: true,
    schema: idSchema("job"),
  })
  jobId?: string;

  @PatternField(new RegExp(`^rsv_${ULID_PATTERN}$`), "must be the id of a reservation", {
    optional: true,
    schema: idSchema("rsv"),
  })
  reservationId?: string;

  @TextField({ max: 200, optional: true })
  user?: string;

  @UnitField({ optional: true })
  unit?: string;

  @ChoiceField(ENTRY_TYPES, { optional: true })
  type?: string;

  @ChoiceField(["oldest", "newest"], {
    optional: true,
    description: "Which come first; `oldest` by default. A cursor belongs to one order.",
  })
  order?: "oldest" | "newest";
}
