import { Get, Req } from "@nestjs/common";
import { IdParam } from "../http/params.js";
import type { TenantRequest } from "../http/request.js";
import { AdminRoutes, TenantRoutes } from "../http/routes.js";
import type { Listed } from "../lists/page.js";
import { Operation } from "../openapi/operation.js";
import { PrismaClient } from "../record/client.js";
import { requireTenant } from "../record/tenants.js";
import { Filters } from "../validation/pipe.js";
import { DenialsQuery } from "./denial.dto.js";
import { DenialDetailView, DenialView } from "./denial.view.js";
import { explainDenial } from "./explain.js";
import { listDenials } from "./list.js";

const LISTED =
  "Those that are alike within a minute are one row with their count: of the same scope, unit, code, job and service. " +
  "What was denied stands in the list about a second later.";
const EXPLAINED = "The figures are those that the last denial of the row was decided on.";

@TenantRoutes("denials")
export class DenialsController {
  constructor(private readonly record: PrismaClient) {}

  @Get()
  @Operation({ summary: "What was denied, newest first", description: LISTED, answer: DenialView, list: true })
  list(@Filters() query: DenialsQuery, @Req() { tenantId }: TenantRequest): Promise<Listed> {
    return listDenials(this.record, tenantId, query);
  }

  @Get(":denialId")
  @Operation({
    summary: "Why something was denied: every scope, its figures at that moment, and its last movements",
    description: `${EXPLAINED} Of a service a tenant sees the movements of its own work alone.`,
    answer: DenialDetailView,
  })
  detail(@IdParam("denial") id: string, @Req() { tenantId }: TenantRequest): Promise<object> {
    return explainDenial(this.record, tenantId, id, tenantId);
  }
}

/** For the operator; they stay readable when the tenant is deleted. */
@AdminRoutes("tenants/:tenantId/denials")
export class TenantDenialsController {
  constructor(private readonly record: PrismaClient) {}

  @Get()
  @Operation({
    summary: "What a tenant was denied, newest first",
    description: LISTED,
    answer: DenialView,
    list: true,
  })
  async list(@IdParam("tenant") tenantId: string, @Filters() query: DenialsQuery): Promise<Listed> {
    await requireTenant(this.record, tenantId);
    return listDenials(this.record, tenantId, query);
  }

  @Get(":denialId")
  @Operation({
    summary: "Why something was denied to a tenant: every scope, its figures at that moment, and its last movements",
    description: EXPLAINED,
    answer: DenialDetailView,
  })
  detail(@IdParam("tenant") tenantId: string, @IdParam("denial") id: string): Promise<object> {
    return explainDenial(this.record, tenantId, id, null);
  }
}
