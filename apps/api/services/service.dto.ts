import { invalid } from "../problems/problem.js";
import { AllowanceBody } from "../allowances/allowance.dto.js";
import {
  ChoiceField,
  DecimalField,
  IntegerField,
  NestedField,
  ObjectsByUnitField,
  TextField,
} from "../validation/fields.js";

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

/** With what the ledger binds by, and why it is set. */
export interface BoundServiceBody extends ServiceBody {
  allowances?: Record<string, AllowanceBody>;
  reason?: string;
}

const NO_PERIOD = "A period that is left out is `none`, a time zone UTC.";

function BindingField(description: string): PropertyDecorator {
  const schema = { $ref: "#/components/schemas/AllowanceBody" };
  const options = { optional: true, description: `${description} ${NO_PERIOD}` };
  return ObjectsByUnitField(() => AllowanceBody, schema, options);
}

/** All that is set for a service over all tenants. */
export class OperatorServiceBody extends ServiceBody implements BoundServiceBody {
  @BindingField("What all tenants together may reserve and spend with reservations that name the service.")
  allowances?: Record<string, AllowanceBody>;

  @TextField({ max: 500, optional: true, description: "For the journal." })
  reason?: string;
}

/** All that is set for one tenant at a service. */
export class TenantServiceBody extends ServiceBody implements BoundServiceBody {
  @BindingField(
    "The tenant's share: what it may reserve and spend with reservations that name the service, in units that it has an " +
      "allowance in.",
  )
  allowances?: Record<string, AllowanceBody>;

  @TextField({ max: 500, optional: true, description: "For the journal." })
  reason?: string;
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
