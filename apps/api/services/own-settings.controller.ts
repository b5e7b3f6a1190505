import { Get } from "@nestjs/common";
import { IdParam, ServiceParam } from "../http/params.js";
import { AdminRoutes } from "../http/routes.js";
import { afterOf, cursorOf } from "../lists/cursor.js";
import { limitOf, PageQuery, type Listed } from "../lists/page.js";
import { Operation } from "../openapi/operation.js";
import { PrismaClient } from "../record/client.js";
import { requireTenant } from "../record/tenants.js";
import { SERVICE_NAME } from "../validation/service-name.js";
import { Filters } from "../validation/pipe.js";
import { findService, inOneMoment, tenantServiceViews } from "./record.js";
import { ServiceTenantView, TenantServiceView } from "./service.view.js";

/** At which services a tenant has settings of its own. */
@AdminRoutes("tenants/:tenantId/services")
export class TenantServicesListController {
  constructor(private readonly record: PrismaClient) {}

  @Get()
  @Operation({ summary: "List what bounds one tenant at services, by service", answer: TenantServiceView, list: true })
  async list(@IdParam("tenant") tenantId: string, @Filters() query: PageQuery): Promise<Listed> {
    await requireTenant(this.record, tenantId);
    const list = `services of ${tenantId}`;
    const limit = limitOf(query.limit);
    const where = { tenantId, name: { gt: afterOf(list, query.cursor, SERVICE_NAME) ?? "" } };
    const [rows, views] = await inOneMoment(this.record, async (record) => {
      const found = await record.tenantService.findMany({ where, orderBy: { name: "asc" }, take: limit + 1 });
      return [found, await tenantServiceViews(record, found)];
    });
    const last = rows.length > limit ? rows[limit - 1] : undefined;
    return {
      data: views.slice(0, limit),
      nextCursor: last ? cursorOf(list, last.name) : null,
    };
  }
}

const TENANT = /^ten_[0-9A-Z]{26}$/;

/** Which tenants have settings of their own at a service. */
@AdminRoutes("services/:service/tenants")
export class ServiceTenantsController {
  constructor(private readonly record: PrismaClient) {}

  @Get()
  @Operation({
    summary: "List the tenants that have settings of their own at a service",
    answer: ServiceTenantView,
    list: true,
  })
  async list(@ServiceParam() name: string, @Filters() query: PageQuery): Promise<Listed> {
    await findService(this.record, name);
    const list = `tenants of ${name}`;
    const limit = limitOf(query.limit);
    const where = { name, tenantId: { gt: afterOf(list, query.cursor, TENANT) ?? "" } };
    const [rows, views] = await inOneMoment(this.record, async (record) => {
      const found = await record.tenantService.findMany({ where, orderBy: { tenantId: "asc" }, take: limit + 1 });
      return [found, await tenantServiceViews(record, found)];
    });
    const last = rows.length > limit ? rows[limit - 1] : undefined;
    return {
      data: views.slice(0, limit).map((view, i) => ({ tenantId: rows[i]!.tenantId, ...view })),
      nextCursor: last ? cursorOf(list, last.tenantId) : null,
    };
  }
}
