import { Get, Post, Req, Res } from "@nestjs/common";
import type { FastifyReply } from "fastify";
import { Ledger } from "#libs/ledger";
import { answer } from "../http/answer.js";
import { IdParam } from "../http/params.js";
import type { TenantRequest } from "../http/request.js";
import { TenantRoutes } from "../http/routes.js";
import { keyOfHeader } from "../idempotency/key.js";
import type { Listed } from "../lists/page.js";
import { Operation } from "../openapi/operation.js";
import { PrismaClient } from "../record/client.js";
import { Filters, NoFields, OptionalPayload, Payload } from "../validation/pipe.js";
import { createJobCommand, createJobRequest } from "./create.js";
import { jobDetail } from "./detail.js";
import { CreateJobBody, JobsQuery } from "./job.dto.js";
import { JobDetailView, JobView } from "./job.view.js";
import { listJobs } from "./list.js";

@TenantRoutes("jobs")
export class JobsController {
  constructor(
    private readonly ledger: Ledger,
    private readonly record: PrismaClient,
  ) {}

  @Post()
  @Operation({
    summary: "Make a job: the identity that binds all work of one piece of incoming work",
    status: 201,
    answer: JobView,
    key: "required",
    problems: ["tenant_suspended", "unit_unknown"],
  })
  async create(
    @Payload() body: CreateJobBody,
    @Req() request: TenantRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const key = keyOfHeader(request.headers, "t", createJobRequest(body));
    return answer(reply, await this.ledger.execute(createJobCommand(request.tenantId, body, key)), 201);
  }

  @Get()
  @Operation({ summary: "List jobs, newest first", answer: JobView, list: true })
  list(@Filters() query: JobsQuery, @Req() { tenantId }: TenantRequest): Promise<Listed> {
    return listJobs(this.record, tenantId, query);
  }

  @Get(":jobId")
  @Operation({ summary: "A job, what was taken of its limits, and how its reservations stand", answer: JobDetailView })
  detail(@IdParam("job") jobId: string, @Req() { tenantId }: TenantRequest): Promise<object> {
    return jobDetail(this.record, tenantId, jobId);
  }

  @Post(":jobId/close")
  @Operation({
    summary: "Close a job: nothing new is admitted; what it holds may settle",
    answer: JobView,
    problems: ["job_not_open"],
  })
  async close(
    @IdParam("job") jobId: string,
    @OptionalPayload() _body: NoFields,
    @Req() { tenantId }: TenantRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    return answer(reply, await this.ledger.execute({ type: "endJob", tenantId, jobId, state: "closed" }), 200);
  }

  @Post(":jobId/cancel")
  @Operation({
    summary: "Cancel a job: nothing new is admitted; running attempts may settle",
    answer: JobView,
    problems: ["job_not_open"],
  })
  async cancel(
    @IdParam("job") jobId: string,
    @OptionalPayload() _body: NoFields,
    @Req() { tenantId }: TenantRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    return answer(reply, await this.ledger.execute({ type: "endJob", tenantId, jobId, state: "cancelled" }), 200);
  }
}
