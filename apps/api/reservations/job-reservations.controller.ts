import { Get, Post, Req, Res } from "@nestjs/common";
import { ApiExtraModels, ApiResponse, getSchemaPath } from "@nestjs/swagger";
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
import { listReservations } from "./list.js";
import { reserveCommand, reserveRequest } from "./reserve.js";
import { ReserveBody } from "./reservation.dto.js";
import { DryRunView, ReservationView } from "./reservation.view.js";

@TenantRoutes("jobs/:jobId/reservations")
@ApiExtraModels(DryRunView)
export class JobReservationsController {
  constructor(
    private readonly ledger: Ledger,
    private readonly record: PrismaClient,
  ) {}

  @Post()
  @Operation({
    summary: "Reserve planned cost: all of it at every scope and in every unit, or nothing",
    status: 201,
    answer: ReservationView,
    key: "unless dry run",
    problems: [
      "allowance_exhausted",
      "exceeds_limit",
      "tenant_suspended",
      "job_not_open",
      "unit_unknown",
      "service_unknown",
    ],
  })
  @ApiResponse({
    status: 200,
    description: "A dry run that would be admitted",
    schema: { $ref: getSchemaPath(DryRunView) },
  })
  async reserve(
    @IdParam("job") jobId: string,
    @Payload() body: ReserveBody,
    @Req() { tenantId, headers }: TenantRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const key = body.dryRun ? null : keyOfHeader(headers, "t", reserveRequest(jobId, body));
    const outcome = await this.ledger.reserve(reserveCommand(tenantId, jobId, body, key));
    return answer(reply, outcome, body.dryRun ? 200 : 201);
  }

  @Get()
  @Operation({ summary: "List the reservations of a job, newest first", answer: ReservationView, list: true })
  list(
    @IdParam("job") jobId: string,
    @Filters() query: PageQuery,
    @Req() { tenantId }: TenantRequest,
  ): Promise<Listed> {
    return listReservations(this.record, tenantId, jobId, query);
  }
}
