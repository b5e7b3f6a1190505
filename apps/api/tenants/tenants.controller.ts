import { Delete, Get, Patch, Post, Res } from "@nestjs/common";
import { ApiExtraModels } from "@nestjs/swagger";
import type { FastifyReply } from "fastify";
import { Ledger, tenantView, type TenantChange } from "#libs/ledger";
import { AllowanceBody } from "../allowances/allowance.dto.js";
import { answer } from "../http/answer.js";
import { IdParam } from "../http/params.js";
import { AdminRoutes } from "../http/routes.js";
import type { Listed } from "../lists/page.js";
import { Operation } from "../openapi/operation.js";
import { PrismaClient } from "../record/client.js";
import { findTenant } from "../record/tenants.js";
import { Filters, OptionalPayload, Payload } from "../validation/pipe.js";
import { configureCommand } from "./configure.js";
import { createTenant } from "./create.js";
import { listTenants } from "./list.js";
import { ReasonBody } from "./reason.dto.js";
import { CreateTenantBody, PatchTenantBody, TenantsQuery } from "./tenant.dto.js";
import { AllowanceSettingView, TenantView } from "./tenant.view.js";

@AdminRoutes("tenants")
@ApiExtraModels(AllowanceBody, AllowanceSettingView)
export class TenantsController {
  constructor(
    private readonly ledger: Ledger,
    private readonly record: PrismaClient,
  ) {}

  @Post()
  @Operation({
    summary: "Make a tenant with its allowances",
    status: 201,
    answer: TenantView,
    problems: ["unit_unknown"],
  })
  create(@Payload() body: CreateTenantBody): Promise<object> {
    return createTenant(this.record, body);
  }

  @Get()
  @Operation({ summary: "List tenants, newest first", answer: TenantView, list: true })
  list(@Filters() query: TenantsQuery): Promise<Listed> {
    return listTenants(this.record, query);
  }

  @Get(":tenantId")
  @Operation({ summary: "A tenant, also a deleted one", answer: TenantView })
  async detail(@IdParam("tenant") id: string): Promise<object> {
    const { tenant, settings } = await findTenant(this.record, id);
    return tenantView(tenant, settings);
  }

  @Patch(":tenantId")
  @Operation({
    summary: "Change a tenant",
    description:
      "A merge patch: what is not named stays, and null takes a unit out of `jobAllowance` or `userAllowance`.",
    answer: TenantView,
    problems: ["unit_unknown"],
  })
  change(
    @IdParam("tenant") id: string,
    @Payload() { reason, ...body }: PatchTenantBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    return this.configure(reply, id, { change: "patch", ...body }, reason);
  }

  @Delete(":tenantId")
  @Operation({ summary: "Delete a tenant: its keys end, its history stays", answer: TenantView })
  remove(
    @IdParam("tenant") id: string,
    @Filters() { reason }: ReasonBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    return this.configure(reply, id, { change: "state", state: "deleted" }, reason);
  }

  @Post(":tenantId/suspend")
  @Operation({
    summary: "Suspend a tenant: nothing new is admitted; what is open may settle",
    description: "Journalled with who and why among the acts of the tenant.",
    answer: TenantView,
  })
  suspend(
    @IdParam("tenant") id: string,
    @OptionalPayload() { reason }: ReasonBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    return this.configure(reply, id, { change: "state", state: "suspended" }, reason);
  }

  @Post(":tenantId/resume")
  @Operation({ summary: "Resume a suspended tenant", answer: TenantView })
  resume(
    @IdParam("tenant") id: string,
    @OptionalPayload() { reason }: ReasonBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    return this.configure(reply, id, { change: "state", state: "active" }, reason);
  }

  private async configure(reply: FastifyReply, id: string, change: TenantChange, reason?: string): Promise<object> {
    return answer(reply, await this.ledger.execute(configureCommand(id, change, { reason })), 200);
  }
}
