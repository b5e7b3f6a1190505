import { Get, Post, Req, Res } from "@nestjs/common";
import { ApiExtraModels, ApiResponse, getSchemaPath } from "@nestjs/swagger";
import type { FastifyReply } from "fastify";
import { Ledger, reservationView } from "#libs/ledger";
import { answer } from "../http/answer.js";
import { IdParam } from "../http/params.js";
import type { TenantRequest } from "../http/request.js";
import { TenantRoutes } from "../http/routes.js";
import { keyOfHeader } from "../idempotency/key.js";
import { listed, pageOf, PageQuery, type Listed } from "../lists/page.js";
import { Operation } from "../openapi/operation.js";
import { notFound } from "../problems/problem.js";
import { PrismaClient } from "../record/client.js";
import { reservationOf } from "../record/entities.js";
import { Filters, Payload } from "../validation/pipe.js";
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
  async list(
    @IdParam("job") jobId: string,
    @Filters() query: PageQuery,
    @Req() { tenantId }: TenantRequest,
  ): Promise<Listed> {
    const page = pageOf(`reservations ${jobId}`, query);
    const seq = page.after === undefined ? {} : { lt: page.after };
    const [jobs, rows] = await Promise.all([
      this.record.job.count({ where: { tenantId, id: jobId } }),
      this.record.reservation.findMany({
        where: { tenantId, jobId, seq },
        orderBy: { seq: "desc" },
        take: page.limit + 1,
      }),
    ]);
    if (jobs === 0) throw notFound("job");
    return listed(page, rows, (row) => reservationView(reservationOf(row)));
  }
}
