import { Post, Req, Res } from "@nestjs/common";
import type { FastifyReply } from "fastify";
import { IdParam } from "../http/params.js";
import type { TenantRequest } from "../http/request.js";
import { TenantRoutes } from "../http/routes.js";
import { Operation } from "../openapi/operation.js";
import { Payload } from "../validation/pipe.js";
import { PermitDesk } from "./desk.js";
import { PermitBody } from "./permit.dto.js";
import { PermitView } from "./permit.view.js";
import { PermitTokens } from "./token.js";

@TenantRoutes("reservations/:reservationId/permits")
export class ReservationPermitsController {
  constructor(
    private readonly desk: PermitDesk,
    private readonly tokens: PermitTokens,
  ) {}

  @Post()
  @Operation({
    summary: "Start one attempt of one child",
    description:
      "Checks the attempts of the plan, the job's retries, and the places, the rate and the breaker of the service in " +
      "one step; a refusal at any of them takes nothing. A caller that goes away while it waits leaves no trace.",
    status: 201,
    answer: PermitView,
    problems: [
      "tenant_suspended",
      "job_not_open",
      "already_settled",
      "already_released",
      "reservation_expired",
      "attempts_exhausted",
      "conflict",
      "service_unknown",
      "rate_limited",
      "concurrency_limited",
      "retry_budget_exhausted",
      "queue_full",
      "breaker_open",
    ],
  })
  async start(
    @IdParam("reservation") reservationId: string,
    @Payload() body: PermitBody,
    @Req() { tenantId }: TenantRequest,
    @Res({ passthrough: true }) { raw }: FastifyReply,
  ): Promise<object> {
    // Only one that waits has to be told, and to be prepared to tell costs more than the rest of this method.
    const gone = body.waitMs ? new AbortController() : undefined;
    const isGone = () => raw.destroyed;
    const starting = this.desk.start({ tenantId, reservationId, body, isGone, signal: gone?.signal });
    const leave = (): void => {
      if (raw.writableFinished) return;
      gone?.abort();
      // Nobody has heard of the permit; where even this fails, its lease ends by itself.
      starting.then(({ permit }) => this.desk.giveBack(permit)).catch(() => undefined);
    };
    raw.once("close", leave);
    if (raw.destroyed) leave();
    const held = await starting;
    const { permit, child } = held;
    return { id: this.tokens.write(held), reservationId, child, attempt: permit.attempt, leaseMs: permit.leaseMs };
  }
}
