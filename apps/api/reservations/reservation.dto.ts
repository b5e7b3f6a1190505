import { MAX_AMOUNT, MAX_LIFE_MS } from "#libs/ledger";
import {
  AmountsField,
  BooleanField,
  ChoiceField,
  IntegerField,
  NestedField,
  NotTogetherWith,
  PatternField,
} from "../validation/fields.js";
import { SERVICE_NAME, SERVICE_RULE } from "../validation/service-name.js";

export const DEFAULT_TTL_MS = 60_000;
const TTL = { min: 1_000, max: MAX_LIFE_MS };

export class PlanBody {
  @IntegerField({ min: 1, max: MAX_AMOUNT, example: 3 })
  children!: number;

  @IntegerField({
    min: 1,
    max: MAX_AMOUNT,
    example: 2,
    description: "Counts the first try: 2 is one try and one retry.",
  })
  attempts!: number;

  @AmountsField({ example: { tokens: 20 } })
  attemptCost!: Record<string, number>;
}

export class ReserveBody {
  @NestedField(() => PlanBody, { unless: "amounts" })
  plan?: PlanBody;

  @NotTogetherWith("plan")
  @AmountsField({ optional: true })
  amounts?: Record<string, number>;

  @IntegerField({ ...TTL, optional: true, description: `Milliseconds until it expires; ${DEFAULT_TTL_MS} by default.` })
  ttlMs?: number;

  @ChoiceField(["all", "partial"], {
    optional: true,
    description: "`partial` admits as many children of the plan as fit.",
  })
  admit?: "all" | "partial";

  @BooleanField({ optional: true, description: "Decides and changes nothing." })
  dryRun?: boolean;

  @PatternField(SERVICE_NAME, SERVICE_RULE, {
    optional: true,
    description: "The service that the work calls: its allowances bind the work too, over all tenants.",
  })
  service?: string;
}

export class SettleBody {
  @AmountsField({ description: "What was really used besides the charges, in every unit that was reserved." })
  actual!: Record<string, number>;
}

export const OUTCOMES = ["succeeded", "failed"] as const;

export class ChargeBody {
  @IntegerField({ min: 1, max: MAX_AMOUNT, example: 1, description: "Which child, from 1 on." })
  child!: number;

  @IntegerField({ min: 1, max: MAX_AMOUNT, example: 1, description: "Which of its attempts; 1 is the first try." })
  attempt!: number;

  @ChoiceField(OUTCOMES, { description: "`succeeded` gives back what is held for the child's unused attempts." })
  outcome!: "succeeded" | "failed";

  @AmountsField({ description: "What the attempt really used, in every unit that was reserved." })
  actual!: Record<string, number>;
}

export class ExtendBody {
  @IntegerField({
    ...TTL,
    description: "The deadline becomes now and so many milliseconds, never earlier than it was.",
  })
  ttlMs!: number;
}
