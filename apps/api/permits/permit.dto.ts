import { OUTCOMES } from "#libs/flow";
import { MAX_AMOUNT } from "#libs/ledger";
import { LONGEST_WAIT_MS } from "../services/service.dto.js";
import { AmountsField, ChoiceField, IntegerField, PatternField } from "../validation/fields.js";
import { SERVICE_NAME, SERVICE_RULE } from "../validation/service-name.js";

export class PermitBody {
  @IntegerField({ min: 1, max: MAX_AMOUNT, example: 1, description: "Which child, from 1 on." })
  child!: number;

  @PatternField(SERVICE_NAME, SERVICE_RULE, {
    optional: true,
    description:
      "The service that the attempt calls: by default that of the reservation, which it must be. Without either only the " +
      "plan and the job's retries bind.",
  })
  service?: string;

  @IntegerField({
    min: 1,
    max: 1_000_000_000,
    optional: true,
    description: "Tokens of the service's rate: 1, as by default, for a call, or so many estimated model tokens.",
  })
  cost?: number;

  @IntegerField({
    min: 0,
    max: LONGEST_WAIT_MS,
    optional: true,
    description: "Longest wait for the permit, at most the queue's `maxWaitMs`. By default none.",
  })
  waitMs?: number;
}

export class FinishBody {
  @ChoiceField(OUTCOMES, {
    description:
      "`failed`: a fault of the service. `overloaded`: it did not keep up (a time-out, 429, 503). `rejected`: the " +
      "caller's own fault (another 4xx). `cancelled`: by its own wish. The latter two say nothing of the service.",
  })
  outcome!: (typeof OUTCOMES)[number];

  @AmountsField({ description: "What the attempt really used, in every unit that was reserved." })
  actual!: Record<string, number>;
}
