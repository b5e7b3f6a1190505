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
import { Filters, NoFields, OptionalPayload, Payload } from "../validation/pipe.js";
import { createJobCommand, createJobRequest, JobLimits } from "./create.js";
import { jobDetail } from "./detail.js";
import { CreateJobBody, JobsQuery } from "./job.dto.js";
import { JobDetailView, JobView } from "./job.view.js";
import { listChildren, listJobs } from "./list.js";

@TenantRoutes("jobs")
export class JobsController {
  constructor(
    private readonly ledger: Ledger,
    private readonly record: PrismaClient,
    private readonly limits: JobLimits,
  ) {}

  @Post()
  @Operation({
    summary: "Make a job: the identity that binds all work of one piece of incoming work",
    description:
      "With `parentJobId` it is a child: `grant` is held at the parent at once, and what the child does not spend of it " +
      "returns when the child ends.",
    status: 201,
    answer: JobView,
    key: "required",
    problems: ["allowance_exhausted", "exceeds_limit", "tenant_suspended", "job_not_open", "conflict", "unit_unknown"],
  })
  async create(
    @Payload() body: CreateJobBody,
    @Req() request: TenantRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const key = keyOfHeader(request.headers, "t", createJobRequest(body));
    return answer(reply, await this.ledger.execute(createJobCommand(request.tenantId, body, this.limits, key)), 201);
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

  @Get(":jobId/children")
  @Operation({ summary: "List the child jobs of a job, newest first", answer: JobView, list: true })
  children(
    @IdParam("job") jobId: string,
    @Filters() query: PageQuery,
    @Req() { tenantId }: TenantRequest,
  ): Promise<Listed> {
    return listChildren(this.record, tenantId, jobId, query);
  }

  @Post(":jobId/close")
  @Operation({
    summary: "Close a job and all below it: nothing new is admitted; what they hold may settle",
    description: "What a child did not spend of its grant, and does not hold, returns to its parent.",
    answer: JobView,
    problems: ["job_not_open", "conflict"],
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
    summary: "Cancel a job and all below it: nothing new is admitted; running attempts may settle",
    description: "What a child did not spend of its grant, and does not hold, returns to its parent.",
    answer: JobView,
    problems: ["job_not_open", "conflict"],
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
