import { Get, Post, Put } from "@nestjs/common";
import { ApiExtraModels } from "@nestjs/swagger";
import { Flow } from "#libs/flow";
import { ServiceParam } from "../http/params.js";
import { AdminRoutes } from "../http/routes.js";
import { afterOf, cursorOf } from "../lists/cursor.js";
import { limitOf, PageQuery, type Listed } from "../lists/page.js";
import { Operation } from "../openapi/operation.js";
import { notFound, Problem } from "../problems/problem.js";
import { Prisma, PrismaClient } from "../record/client.js";
import { SERVICE_NAME } from "../validation/service-name.js";
import { Filters, Payload } from "../validation/pipe.js";
import { limitsOf } from "./limits.js";
import { BreakerStateBody, checkService, ServiceBody } from "./service.dto.js";
import { ServiceLiveView, ServiceDetailView, ServiceView } from "./service.view.js";

interface ServiceRow {
  readonly name: string;
  readonly settings: unknown;
  readonly version: bigint;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Services as the operator sets them, over all tenants. */
@AdminRoutes("services")
@ApiExtraModels(ServiceLiveView)
export class ServicesController {
  constructor(
    private readonly record: PrismaClient,
    private readonly flow: Flow,
  ) {}

  @Put(":service")
  @Operation({
    summary: "Make a service, or replace all its settings",
    description: "What is left out does not bind; 0 lets nothing through. Within a second it holds in every process.",
    answer: ServiceView,
  })
  async set(@ServiceParam() name: string, @Payload() body: ServiceBody): Promise<object> {
    checkService(body);
    const [row] = await this.record.$queryRaw<[ServiceRow]>(Prisma.sql`
      INSERT INTO services AS s (name, settings, created_at, updated_at)
      VALUES (${name}, ${JSON.stringify(body)}::json, holdfast_now(), holdfast_now())
      ON CONFLICT (name) DO UPDATE
      SET settings = excluded.settings, version = s.version + 1, updated_at = excluded.updated_at
      RETURNING name, settings, version, created_at AS "createdAt", updated_at AS "updatedAt"`);
    return serviceView(row);
  }

  @Get()
  @Operation({ summary: "List services by name", answer: ServiceView, list: true })
  async list(@Filters() query: PageQuery): Promise<Listed> {
    const limit = limitOf(query.limit);
    const after = afterOf("services", query.cursor, SERVICE_NAME) ?? "";
    const rows = await this.record.service.findMany({
      where: { name: { gt: after } },
      orderBy: { name: "asc" },
      take: limit + 1,
    });
    const last = rows.length > limit ? rows[limit - 1] : undefined;
    return { data: rows.slice(0, limit).map(serviceView), nextCursor: last ? cursorOf("services", last.name) : null };
  }

  @Get(":service")
  @Operation({ summary: "A service, and how it stands now", answer: ServiceDetailView })
  async detail(@ServiceParam() name: string): Promise<object> {
    return this.shown(await this.find(name));
  }

  @Post(":service/breaker")
  @Operation({
    summary: "Open or close the breaker by hand",
    answer: ServiceDetailView,
    problems: ["conflict"],
  })
  async setBreaker(@ServiceParam() name: string, @Payload() { state }: BreakerStateBody): Promise<object> {
    const row = await this.find(name);
    const limits = limitsOf(row.settings as ServiceBody);
    if (!limits.breaker) throw new Problem("conflict", `Service ${name} has no breaker.`);
    await (state === "open" ? this.flow.trip(name, limits) : this.flow.reset(name, limits));
    return this.shown(row);
  }

  private async find(name: string): Promise<ServiceRow> {
    const row = await this.record.service.findUnique({ where: { name } });
    if (!row) throw notFound("service");
    return row;
  }

  private async shown(row: ServiceRow): Promise<object> {
    const live = await this.flow.show(row.name, limitsOf(row.settings as ServiceBody));
    return { ...serviceView(row), live: { ...live, shared: this.flow.isShared } };
  }
}

function serviceView({ name, settings, version, createdAt, updatedAt }: ServiceRow): object {
  return {
    name,
    ...(settings as ServiceBody),
    version: Number(version),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}
