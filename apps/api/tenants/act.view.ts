import { idSchema, INSTANT } from "../openapi/schemas.js";
import { choice, MaybeShown, Shown, TEXT } from "../openapi/shown.js";

export const ACTS = ["suspend", "resume", "delete", "enforce", "observe", "cancel"] as const;

/** What the operator did to a tenant besides its limits, of which the ledger tells. */
export class ActView {
  @Shown(TEXT, { description: "Sequence number, as text." })
  id!: string;

  @Shown(choice(ACTS), { description: "`enforce` and `observe`: what its enforcement became; `cancel`: of a job." })
  act!: string;

  @Shown(INSTANT)
  at!: string;

  @MaybeShown(idSchema("job"), { description: "The job that was cancelled, with all below it." })
  jobId?: string;

  @Shown(TEXT, { description: "Who did it." })
  actor!: string;

  @MaybeShown(TEXT)
  reason?: string;
}
