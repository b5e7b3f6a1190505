import { DenialView } from "../openapi/problem.view.js";
import { AMOUNTS, idSchema, INSTANT } from "../openapi/schemas.js";
import { choice, MaybeShown, Shown } from "../openapi/shown.js";

const COUNT = { type: "integer", minimum: 1 };

export class PlanView {
  @Shown(COUNT)
  children!: number;

  @Shown(COUNT, { description: "Counts the first try." })
  attempts!: number;

  @Shown(AMOUNTS)
  attemptCost!: object;

  @Shown(COUNT)
  admittedChildren!: number;
}

/** What `observe` recorded instead of denying. */
export class WouldDenyView extends DenialView {
  @Shown(choice(["allowance_exhausted", "exceeds_limit"]))
  code!: string;
}

export class ReservationView {
  @Shown(idSchema("rsv"))
  id!: string;

  @Shown(idSchema("job"))
  jobId!: string;

  @Shown(choice(["open", "settled", "released", "expired"]))
  state!: string;

  @Shown(AMOUNTS, { description: "What was taken when it was admitted." })
  reserved!: object;

  @MaybeShown({ type: PlanView })
  plan?: PlanView;

  @Shown(INSTANT)
  expiresAt!: string;

  @Shown(INSTANT)
  createdAt!: string;

  @MaybeShown(INSTANT)
  closedAt?: string;

  @MaybeShown(AMOUNTS, { description: "What was really used; once settled." })
  actual?: object;

  @MaybeShown(AMOUNTS, { description: "max(0, reserved − actual); once settled." })
  released?: object;

  @MaybeShown(AMOUNTS, { description: "max(0, actual − reserved); once settled." })
  overage?: object;

  @MaybeShown({ type: "boolean" }, { description: "True where it was settled after its deadline; once settled." })
  late?: boolean;

  @MaybeShown({ type: WouldDenyView })
  wouldDeny?: WouldDenyView;
}

/** What a dry run answers: the decision, of which nothing remains. */
export class DryRunView {
  @Shown({ type: "boolean", const: true })
  dryRun!: true;

  @Shown(idSchema("job"))
  jobId!: string;

  @Shown(AMOUNTS)
  reserved!: object;

  @MaybeShown({ type: PlanView })
  plan?: PlanView;

  @MaybeShown({ type: WouldDenyView })
  wouldDeny?: WouldDenyView;
}
