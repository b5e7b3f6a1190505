import { BalanceView } from "../balances/balance.view.js";
import { idSchema, INSTANT, unitMapSchema } from "../openapi/schemas.js";
import { choice, MaybeShown, Shown, TEXT } from "../openapi/shown.js";
import { ServiceBody } from "./service.dto.js";

const COUNT = { type: "integer", minimum: 0 };
const MAYBE_COUNT = { type: "integer", nullable: true, minimum: 0 };

/** How a service, or one tenant at it, stands now. */
export class ServiceLiveView {
  @Shown(MAYBE_COUNT, { description: "Tokens of the rate that are there; null without a rate." })
  tokens!: number | null;

  @Shown(COUNT, { description: "Attempts that hold a place." })
  inFlight!: number;

  @Shown(MAYBE_COUNT, { description: "Places that there are; null where nothing bounds them." })
  places!: number | null;

  @Shown(MAYBE_COUNT, { description: "null without an adaptive limit." })
  adaptiveLimit!: number | null;

  @Shown(choice(["closed", "open", "half_open"]))
  breaker!: string;

  @Shown(
    { type: "object", additionalProperties: COUNT },
    { description: "Tenant → how many of its attempts hold a place, of the 1 000 whose leases end first." },
  )
  holders!: object;

  @Shown({ type: "object", additionalProperties: COUNT }, { description: "Tenant → how many of its callers wait." })
  waiting!: object;

  @Shown({ type: "boolean" }, { description: "False where this process could not ask Redis, and shows itself alone." })
  shared!: boolean;
}

/** The settings of a service as they were given. */
export class ServiceView extends ServiceBody {
  @MaybeShown(unitMapSchema({ $ref: "#/components/schemas/AllowanceSettingView" }))
  allowances?: object;

  @Shown(TEXT, { example: "model-large" })
  name!: string;

  @Shown({ type: "integer", minimum: 1 }, { description: "One more with each change." })
  version!: number;

  @Shown(INSTANT)
  createdAt!: string;

  @Shown(INSTANT)
  updatedAt!: string;
}

export class ServiceDetailView extends ServiceView {
  @Shown({ type: [BalanceView] }, { description: "What was taken of its allowances, each in its current window." })
  balances!: BalanceView[];

  @Shown({ type: ServiceLiveView })
  live!: ServiceLiveView;
}

/** What bounds one tenant's calls to a service, as it was given. */
export class TenantServiceView extends ServiceBody {
  @MaybeShown(unitMapSchema({ $ref: "#/components/schemas/AllowanceSettingView" }))
  allowances?: object;

  @Shown(TEXT)
  name!: string;

  @Shown(INSTANT)
  updatedAt!: string;
}

/** One tenant's own settings, as the service lists them. */
export class ServiceTenantView extends TenantServiceView {
  @Shown(idSchema("ten"))
  tenantId!: string;
}

/** With how the tenant stands there: its own places, tokens, breaker and limit, and its own callers that wait. */
export class TenantServiceDetailView extends TenantServiceView {
  @Shown({ type: [BalanceView] }, { description: "What was taken of its share, each in its current window." })
  balances!: BalanceView[];

  @Shown({ type: ServiceLiveView })
  live!: ServiceLiveView;
}
