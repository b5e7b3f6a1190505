import { invalid } from "../problems/problem.js";
import { AllowanceBody } from "../allowances/allowance.dto.js";
import { ChoiceField, DecimalField, IntegerField, NestedField, ObjectsByUnitField } from "../validation/fields.js";

const MOST_PLACES = 1_000_000;
const HOUR_MS = 3_600_000;
/** A connection on which nothing moves for longer may be cut by whatever stands between. */
export const LONGEST_WAIT_MS = 120_000;

export class QueueBody {
  @IntegerField({ min: 0, max: 100_000, description: "Most callers that wait at once, over all processes." })
  max!: number;

  @IntegerField({ min: 0, max: LONGEST_WAIT_MS, description: "Longest that a caller may wait." })
  maxWaitMs!: number;
}

export class BreakerBody {
  @IntegerField({ min: 1, max: 10_000, description: "So many failures within the window open it." })
  failures!: number;

  @IntegerField({ min: 100, max: HOUR_MS })
  windowMs!: number;

  @IntegerField({ min: 100, max: HOUR_MS, description: "How long it stays open before it tries." })
  resetMs!: number;

  @IntegerField({ min: 1, max: 1_000, description: "So many trial calls, which must all succeed." })
  probes!: number;
}

export class AdaptiveBody {
  @IntegerField({ min: 1, max: MOST_PLACES })
  min!: number;

  @IntegerField({ min: 1, max: MOST_PLACES, description: "Where it begins." })
  max!: number;
}

/** What bounds calls to a service. What is left out does not bind; 0 lets nothing through. */
export class ServiceBody {
  @DecimalField({
    min: 0,
    max: 1_000_000,
    optional: true,
    description: "Calls a second, or estimated tokens: a permit takes its cost.",
  })
  ratePerSecond?: number;

  @IntegerField({
    min: 1,
    max: 1_000_000_000,
    optional: true,
    onlyWith: "ratePerSecond",
    description: "Most that may come at once; by default ratePerSecond, rounded up, at least 1.",
  })
  burst?: number;

  @IntegerField({ min: 0, max: MOST_PLACES, optional: true, description: "Most attempts in flight." })
  concurrency?: number;

  @NestedField(() => QueueBody, { optional: true })
  queue?: QueueBody;

  @NestedField(() => BreakerBody, { optional: true })
  breaker?: BreakerBody;

  @NestedField(() => AdaptiveBody, { optional: true })
  adaptive?: AdaptiveBody;
}

/** All that is set for a service over all tenants. */
export class OperatorServiceBody extends ServiceBody {
  @ObjectsByUnitField(
    () => AllowanceBody,
    { $ref: "#/components/schemas/AllowanceBody" },
    {
      optional: true,
      description:
        "What all tenants together may reserve and spend with reservations that name the service. A period that is left " +
        "out is `none`, a time zone UTC.",
    },
  )
  allowances?: Record<string, AllowanceBody>;
}

/** What one field alone cannot tell. Throws Problem. */
export function checkService({ adaptive }: ServiceBody): void {
  if (adaptive && adaptive.min > adaptive.max)
    throw invalid([{ pointer: "/adaptive/min", message: "must be at most max" }]);
}

export class BreakerStateBody {
  @ChoiceField(["open", "closed"], { description: "`open` for one reset time." })
  state!: "open" | "closed";
}
