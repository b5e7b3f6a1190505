import { Delete, Get, Put } from "@nestjs/common";
import { Flow } from "#libs/flow";
import { IdParam, ServiceParam } from "../http/params.js";
import { AdminRoutes } from "../http/routes.js";
import { Operation } from "../openapi/operation.js";
import { notFound } from "../problems/problem.js";
import { Prisma, PrismaClient } from "../record/client.js";
import { Payload } from "../validation/pipe.js";
import { checkService, ServiceBody } from "./service.dto.js";
import { limitsOf } from "./limits.js";
import { TenantServiceDetailView, TenantServiceView } from "./service.view.js";

interface OwnRow {
  readonly name: string;
  readonly settings: unknown;
  readonly updatedAt: Date;
}

/** What bounds the calls of one tenant to a service besides what bounds them all, so that it cannot take everything. */
@AdminRoutes("tenants/:tenantId/services/:service")
export class TenantServicesController {
  constructor(
    private readonly record: PrismaClient,
    private readonly flow: Flow,
  ) {}

  @Put()
  @Operation({
    summary: "Set what bounds one tenant at a service: all of it is replaced",
    description: "Besides what bounds all tenants. A queue narrows the service's.",
    answer: TenantServiceView,
  })
  async set(
    @IdParam("tenant") tenantId: string,
    @ServiceParam() name: string,
    @Payload() body: ServiceBody,
  ): Promise<object> {
    checkService(body);
    const [row] = await this.record.$queryRaw<OwnRow[]>(Prisma.sql`
      INSERT INTO tenant_services (tenant_id, name, settings, updated_at)
      SELECT t.id, s.name, ${JSON.stringify(body)}::json, holdfast_now()
      FROM tenants t, services s WHERE t.id = ${tenantId} AND t.state <> 'deleted' AND s.name = ${name}
      ON CONFLICT (tenant_id, name) DO UPDATE SET settings = excluded.settings, updated_at = excluded.updated_at
      RETURNING name, settings, updated_at AS "updatedAt"`);
    return ownView(row, "tenant or service");
  }

  @Get()
  @Operation({
    summary: "What bounds one tenant at a service, and how it stands there now",
    description: "What binds all tenants stands at the service itself.",
    answer: TenantServiceDetailView,
  })
  async detail(@IdParam("tenant") tenantId: string, @ServiceParam() name: string): Promise<object> {
    const row = await this.record.tenantService.findUnique({ where: { tenantId_name: { tenantId, name } } });
    if (!row) throw notFound("setting");
    const live = await this.flow.show(name, limitsOf(row.settings as ServiceBody), tenantId);
    return { ...ownView(row, "setting"), live: { ...live, shared: this.flow.isShared } };
  }

  @Delete()
  @Operation({ summary: "Let a service's own settings alone bound the tenant", answer: TenantServiceView })
  async remove(@IdParam("tenant") tenantId: string, @ServiceParam() name: string): Promise<object> {
    const [row] = await this.record.$queryRaw<OwnRow[]>(Prisma.sql`
      DELETE FROM tenant_services WHERE tenant_id = ${tenantId} AND name = ${name}
      RETURNING name, settings, updated_at AS "updatedAt"`);
    return ownView(row, "setting");
  }
}

/** Throws Problem where there is no row. */
export function ownView(row: OwnRow | null | undefined, what: string): object {
  if (!row) throw notFound(what);
  return { name: row.name, ...(row.settings as ServiceBody), updatedAt: row.updatedAt.toISOString() };
}
