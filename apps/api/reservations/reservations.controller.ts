import { Get, Post, Req, Res } from "@nestjs/common";
import { ApiExtraModels } from "@nestjs/swagger";
import type { FastifyReply } from "fastify";
import { Ledger, type Command } from "#libs/ledger";
import { answer } from "../http/answer.js";
import { IdParam } from "../http/params.js";
import type { TenantRequest } from "../http/request.js";
import { TenantRoutes } from "../http/routes.js";
import { Operation } from "../openapi/operation.js";
import { PrismaClient } from "../record/client.js";
import { NoFields, OptionalPayload, Payload } from "../validation/pipe.js";
import { reservationDetail } from "./list.js";
import { ExtendBody, SettleBody } from "./reservation.dto.js";
import { PlanView, ReservationView, WouldDenyView } from "./reservation.view.js";

@TenantRoutes("reservations/:reservationId")
@ApiExtraModels(PlanView, WouldDenyView)
export class ReservationsController {
  constructor(
    private readonly ledger: Ledger,
    private readonly record: PrismaClient,
  ) {}

  @Get()
  @Operation({ summary: "A reservation", answer: ReservationView })
  detail(@IdParam("reservation") id: string, @Req() { tenantId }: TenantRequest): Promise<object> {
    return reservationDetail(this.record, tenantId, id);
  }

  @Post("settle")
  @Operation({
    summary: "Close a reservation with what was really used besides its charges",
    description: "Booked in full, also above what was reserved and also late. The same request again answers the same.",
    answer: ReservationView,
    problems: ["already_settled", "already_released"],
  })
  settle(
    @IdParam("reservation") reservationId: string,
    @Payload() { actual }: SettleBody,
    @Req() { tenantId }: TenantRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    return this.run(reply, { type: "settle", tenantId, reservationId, actual });
  }

  @Post("release")
  @Operation({
    summary: "Close a reservation without more: what it still holds is given back",
    description: "The same request again answers the same.",
    answer: ReservationView,
    problems: ["already_settled", "already_released", "reservation_expired"],
  })
  release(
    @IdParam("reservation") reservationId: string,
    @OptionalPayload() _body: NoFields,
    @Req() { tenantId }: TenantRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    return this.run(reply, { type: "release", tenantId, reservationId });
  }

  @Post("extend")
  @Operation({
    summary: "Move the deadline of a reservation to now and ttlMs, never earlier than it was",
    description: "A reservation lives 30 days at most.",
    answer: ReservationView,
    problems: ["tenant_suspended", "job_not_open", "already_settled", "already_released", "reservation_expired"],
  })
  extend(
    @IdParam("reservation") reservationId: string,
    @Payload() { ttlMs }: ExtendBody,
    @Req() { tenantId }: TenantRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    return this.run(reply, { type: "extend", tenantId, reservationId, ttlMs });
  }

  private async run(reply: FastifyReply, command: Command): Promise<object> {
    return answer(reply, await this.ledger.execute(command), 200);
  }
}
