import { denialView, type Ask } from "#libs/ledger";
import type * as rows from "../../../prisma/generated/client.js";
import { BalanceView } from "../balances/balance.view.js";
import { EntryView } from "../ledger/entry.view.js";
import { DenialFiguresView } from "../openapi/problem.view.js";
import { AMOUNT, AMOUNTS, idSchema, INSTANT, SCOPE } from "../openapi/schemas.js";
import { choice, MaybeShown, Shown, TEXT } from "../openapi/shown.js";
import { DENIAL_CODES } from "./denial.dto.js";
import type { KeptDenial } from "./kept.js";

const COUNT = { type: "integer", minimum: 0 };
const SCOPE_OR_SEVERAL = {
  type: "object",
  properties: { ...SCOPE.properties, id: { type: ["string", "null"] } },
  required: ["kind", "id"],
};
const ASKED = {
  type: "object",
  properties: {
    plan: {
      type: "object",
      properties: { children: COUNT, attempts: COUNT, attemptCost: AMOUNTS },
      required: ["children", "attempts", "attemptCost"],
    },
    amounts: AMOUNTS,
    grant: AMOUNTS,
  },
};

/** The last of the denials that are counted together. */
export class LastDenialView extends DenialFiguresView {
  @Shown(idSchema("job"), { description: "The job that asked; of a grant, the one that was to give it." })
  jobId!: string;

  @MaybeShown(TEXT)
  user?: string;

  @Shown(ASKED, { description: "One of: a reservation by its plan, or by its amounts, or the grant of a child job." })
  asked!: object;

  @Shown(INSTANT)
  at!: string;

  @Shown(choice(["record", "copies"]), {
    description:
      "What it was decided on: the record itself, or copies of what the record said at most two seconds before.",
  })
  decidedOn!: string;
}

/** Denials that are alike, within a minute. */
export class DenialView {
  @Shown(idSchema("dny"))
  id!: string;

  @Shown(choice(DENIAL_CODES))
  code!: string;

  @Shown({ type: "boolean" }, { description: "True where nothing was denied, since the tenant only observes." })
  observed!: boolean;

  @Shown(SCOPE_OR_SEVERAL, {
    description: "What decided; an `id` of null is several scopes that are counted together.",
  })
  scope!: object;

  @Shown(TEXT, { example: "tokens" })
  unit!: string;

  @MaybeShown(idSchema("job"), { description: "The job that asked; left out where several are counted together." })
  jobId?: string;

  @MaybeShown(TEXT, { description: "The service that the work was for." })
  service?: string;

  @Shown({ type: "integer", minimum: 1 })
  count!: number;

  @Shown(INSTANT)
  firstAt!: string;

  @Shown(INSTANT)
  lastAt!: string;

  @Shown({ type: LastDenialView })
  last!: LastDenialView;
}

/** One allowance that bound the request. */
export class BoundView extends BalanceView {
  @Shown(AMOUNT, { description: "What was asked of it." })
  requested!: number;

  @Shown({ type: "boolean" }, { description: "Whether this scope alone would have let it through." })
  fits!: boolean;

  @Shown({ type: "boolean" }, { description: "True of the one that decided." })
  decided!: boolean;

  @Shown(INSTANT, { description: "When the record showed these figures." })
  at!: string;

  @Shown({ type: [EntryView] }, { description: "Its last movements before the denial, newest first, at most 20." })
  movements!: EntryView[];
}

const WOULD_FIT = {
  type: "object",
  properties: { children: COUNT, attempts: COUNT, amounts: AMOUNTS },
};

/** Why the last of them was denied. */
export class DenialDetailView extends DenialView {
  @Shown({ type: [BoundView] }, { description: "Narrowest scope first." })
  scopes!: BoundView[];

  @Shown(WOULD_FIT, {
    description:
      "What would have fitted: of a plan, so many children with all their attempts, or so many attempts with all " +
      "children; of amounts or a grant, so much of each unit.",
  })
  wouldFit!: object;

  @MaybeShown(INSTANT, {
    description: "Where a search for movements stopped before the beginning of the ledger: how far back it went.",
  })
  movementsSince?: string;
}

export function denialRowView(row: rows.Denial): object {
  const { id, code, observed, kind, scopeId, unit, jobId, service, count, firstAt, lastAt } = row;
  const last = row.last as unknown as KeptDenial;
  return {
    id,
    code,
    observed,
    scope: scopeId === "" ? { kind, id: null } : last.denial.scope,
    unit,
    ...(jobId !== "" && { jobId }),
    ...(service !== "" && { service }),
    count: Number(count),
    firstAt: firstAt.toISOString(),
    lastAt: lastAt.toISOString(),
    last: lastView(last),
  };
}

function lastView({ denial, jobId, user, asked, at, source }: KeptDenial): object {
  const { code: _, ...figures } = denialView(denial);
  return {
    ...figures,
    jobId,
    ...(user !== null && { user }),
    asked: isPlan(asked) ? { plan: asked } : asked,
    at: new Date(at).toISOString(),
    decidedOn: source,
  };
}

export function isPlan(asked: KeptDenial["asked"]): asked is Extract<Ask, { children: number }> {
  return "children" in asked;
}
