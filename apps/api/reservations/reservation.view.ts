import { DenialFiguresView } from "../openapi/problem.view.js";
import { AMOUNTS, idSchema, INSTANT } from "../openapi/schemas.js";
import { choice, MaybeShown, Shown, TEXT } from "../openapi/shown.js";
import { OUTCOMES } from "./reservation.dto.js";

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
export class WouldDenyView extends DenialFiguresView {
  @Shown(choice(["allowance_exhausted", "exceeds_limit"]))
  code!: string;
}

export class ReservationView {
  @Shown(idSchema("rsv"))
  id!: string;

  @Shown(idSchema("job"))
  jobId!: string;

  @MaybeShown(TEXT, { description: "The service that it is for, whose allowances hold it too." })
  service?: string;

  @Shown(choice(["open", "settled", "released", "expired"]))
  state!: string;

  @Shown(AMOUNTS, { description: "What was taken when it was admitted." })
  reserved!: object;

  @Shown(AMOUNTS, { description: "What it still holds: nothing once it is not open." })
  held!: object;

  @Shown(AMOUNTS, { description: "The sum of its charges." })
  charged!: object;

  @MaybeShown({ type: PlanView })
  plan?: PlanView;

  @Shown(INSTANT)
  expiresAt!: string;

  @Shown(INSTANT)
  createdAt!: string;

  @MaybeShown(INSTANT)
  closedAt?: string;

  @MaybeShown(AMOUNTS, { description: "What was really used besides the charges; once settled." })
  actual?: object;

  @MaybeShown(AMOUNTS, { description: "max(0, reserved − charged − actual); once settled." })
  released?: object;

  @MaybeShown(AMOUNTS, { description: "max(0, charged + actual − reserved); once settled." })
  overage?: object;

  @MaybeShown({ type: "boolean" }, { description: "True where it was settled after its deadline; once settled." })
  late?: boolean;

  @MaybeShown({ type: WouldDenyView })
  wouldDeny?: WouldDenyView;
}

/** One attempt of one child, as it was charged. */
export class AttemptView {
  @Shown(idSchema("rsv"))
  reservationId!: string;

  @Shown(COUNT)
  child!: number;

  @Shown(COUNT)
  attempt!: number;

  @Shown(choice(OUTCOMES))
  outcome!: string;

  @Shown(AMOUNTS, { description: "What it really used." })
  actual!: object;

  @Shown(AMOUNTS, {
    description:
      "What came back: held for it and not used, and, where it succeeded, held for attempts that its child does not need.",
  })
  released!: object;

  @Shown(AMOUNTS, { description: "What it used beyond what came out of the hold." })
  overage!: object;

  @Shown({ type: "boolean" }, { description: "True where it was charged after the deadline." })
  late!: boolean;

  @Shown(INSTANT)
  at!: string;
}

/** What a dry run answers: the decision, of which nothing remains. */
export class DryRunView {
  @Shown({ type: "boolean", const: true })
  dryRun!: true;

  @Shown(idSchema("job"))
  jobId!: string;

  @MaybeShown(TEXT)
  service?: string;

  @Shown(AMOUNTS)
  reserved!: object;

  @MaybeShown({ type: PlanView })
  plan?: PlanView;

  @MaybeShown({ type: WouldDenyView })
  wouldDeny?: WouldDenyView;
}
