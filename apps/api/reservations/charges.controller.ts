import { Get, Post, Req, Res } from "@nestjs/common";
import type { FastifyReply } from "fastify";
import { Ledger } from "#libs/ledger";
import { answer } from "../http/answer.js";
import { IdParam } from "../http/params.js";
import type { TenantRequest } from "../http/request.js";
import { TenantRoutes } from "../http/routes.js";
import { keyOfHeader } from "../idempotency/key.js";
import { PageQuery, type Listed } from "../lists/page.js";
import { Operation } from "../openapi/operation.js";
import { PrismaClient } from "../record/client.js";
import { Filters, Payload } from "../validation/pipe.js";
import { listAttempts } from "./attempts.js";
import { chargeCommand, chargeRequest } from "./charge.js";
import { ChargeBody } from "./reservation.dto.js";
import { AttemptView } from "./reservation.view.js";

@TenantRoutes("reservations/:reservationId")
export class ChargesController {
  constructor(
    private readonly ledger: Ledger,
    private readonly record: PrismaClient,
  ) {}

  @Post("charges")
  @Operation({
    summary: "Charge one attempt of one child to a reservation",
    description:
      "Each attempt is charged once, in full, also above what is held for it and also after the deadline; the same " +
      "facts again answer the same. When a child succeeds, what is held for its unused attempts is given back.",
    status: 201,
    answer: AttemptView,
    key: "required",
    problems: ["already_settled", "already_released", "attempts_exhausted", "conflict"],
  })
  async charge(
    @IdParam("reservation") reservationId: string,
    @Payload() body: ChargeBody,
    @Req() { tenantId, headers }: TenantRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const key = keyOfHeader(headers, "t", chargeRequest(reservationId, body));
    return answer(reply, await this.ledger.execute(chargeCommand(tenantId, reservationId, body, key)), 201);
  }

  @Get("attempts")
  @Operation({ summary: "List what was charged, by child and attempt", answer: AttemptView, list: true })
  attempts(
    @IdParam("reservation") reservationId: string,
    @Filters() query: PageQuery,
    @Req() { tenantId }: TenantRequest,
  ): Promise<Listed> {
    return listAttempts(this.record, tenantId, reservationId, query);
  }
}
