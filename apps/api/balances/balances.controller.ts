import { Get, Req } from "@nestjs/common";
import type { TenantRequest } from "../http/request.js";
import { TenantRoutes } from "../http/routes.js";
import type { Listed } from "../lists/page.js";
import { Operation } from "../openapi/operation.js";
import { PrismaClient } from "../record/client.js";
import { Filters } from "../validation/pipe.js";
import { BalanceView } from "./balance.view.js";
import { BalancesQuery } from "./balances.dto.js";
import { listBalances } from "./list.js";

@TenantRoutes("balances")
export class BalancesController {
  constructor(private readonly record: PrismaClient) {}

  @Get()
  @Operation({
    summary: "What was taken of the limits of the tenant, a user, a job or the tenant's share of a service",
    answer: BalanceView,
    list: true,
  })
  list(@Filters() query: BalancesQuery, @Req() { tenantId }: TenantRequest): Promise<Listed> {
    return listBalances(this.record, tenantId, query);
  }
}
