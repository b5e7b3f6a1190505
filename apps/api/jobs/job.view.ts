import { BalanceView } from "../balances/balance.view.js";
import { AMOUNTS, idSchema, INSTANT, LABELS } from "../openapi/schemas.js";
import { WouldDenyView } from "../reservations/reservation.view.js";
import { choice, MaybeShown, Shown, TEXT } from "../openapi/shown.js";

export const JOB_STATES = ["open", "closed", "cancelled"] as const;

export class JobView {
  @Shown(idSchema("job"))
  id!: string;

  @Shown(choice(JOB_STATES))
  state!: string;

  @MaybeShown(TEXT)
  user?: string;

  @MaybeShown(TEXT)
  name?: string;

  @Shown(LABELS)
  labels!: object;

  @Shown(AMOUNTS, {
    description:
      "The limits of this job; a unit that is not named is bound by the other scopes only, and of a child job it is nothing.",
  })
  allowance!: object;

  @MaybeShown(idSchema("job"), { description: "Of a child job." })
  parentJobId?: string;

  @MaybeShown(AMOUNTS, { description: "What was carved out of the parent's allowance for it; of a child job." })
  grant?: object;

  @Shown({ type: "integer", minimum: 1 }, { description: "1 is a job without a parent." })
  depth!: number;

  @MaybeShown({ type: WouldDenyView }, { description: "Of a child job: why its grant would have been denied." })
  wouldDeny?: WouldDenyView;

  @Shown(INSTANT)
  createdAt!: string;

  @MaybeShown(INSTANT)
  closedAt?: string;
}

/** How many reservations of a job are counted, from the newest on, and how many children. */
export const MOST_COUNTED = 100_000;

const COUNT = { type: "integer", minimum: 0 };

/** How many reservations of a job are in each state. */
export class ReservationCounts {
  @Shown(COUNT)
  open!: number;

  @Shown(COUNT)
  settled!: number;

  @Shown(COUNT)
  released!: number;

  @Shown(COUNT)
  expired!: number;
}

/** Who ended a job that its tenant did not end itself. */
export class EndedByView {
  @Shown(TEXT)
  actor!: string;

  @MaybeShown(TEXT)
  reason?: string;
}

export class JobDetailView extends JobView {
  @Shown({ type: [BalanceView] }, { description: "What was taken of each limit, and of each unit that was used." })
  balances!: BalanceView[];

  @Shown(COUNT, { description: `Its own child jobs, counted up to ${MOST_COUNTED}.` })
  children!: number;

  @MaybeShown({ type: EndedByView }, { description: "Of a job that the operator cancelled itself: who, and why." })
  endedBy?: EndedByView;

  @Shown({ type: ReservationCounts }, { description: `Of the newest ${MOST_COUNTED} reservations.` })
  reservations!: ReservationCounts;
}
