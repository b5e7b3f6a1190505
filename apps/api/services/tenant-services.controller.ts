import { Delete, Get, Put, Res } from "@nestjs/common";
import type { FastifyReply } from "fastify";
import { Flow } from "#libs/flow";
import { Ledger } from "#libs/ledger";
import { answer } from "../http/answer.js";
import { IdParam, ServiceParam } from "../http/params.js";
import { AdminRoutes } from "../http/routes.js";
import { Operation } from "../openapi/operation.js";
import { PrismaClient } from "../record/client.js";
import { configureCommand } from "../tenants/configure.js";
import { ReasonBody } from "../tenants/reason.dto.js";
import { Filters, Payload } from "../validation/pipe.js";
import { limitsOf } from "./limits.js";
import { inOneMoment, partsOf, serviceAsSet, tenantServiceOf } from "./record.js";
import { checkService, TenantServiceBody } from "./service.dto.js";
import { TenantServiceDetailView, TenantServiceView } from "./service.view.js";

/** What bounds the work of one tenant at a service besides what bounds them all, so that it cannot take everything. */
@AdminRoutes("tenants/:tenantId/services/:service")
export class TenantServicesController {
  constructor(
    private readonly record: PrismaClient,
    private readonly ledger: Ledger,
    private readonly flow: Flow,
  ) {}

  @Put()
  @Operation({
    summary: "Set what bounds one tenant at a service: all of it is replaced",
    description:
      "Besides what bounds all tenants. A queue narrows the service's. Allowances hold at once, and what was taken of them " +
      "stays taken. What changed is journalled, with the reason.",
    answer: TenantServiceView,
    problems: ["unit_unknown"],
  })
  async set(
    @IdParam("tenant") tenantId: string,
    @ServiceParam() service: string,
    @Payload() body: TenantServiceBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    checkService(body);
    const parts = partsOf(body);
    const change = { change: "share", service, ...parts } as const;
    const outcome = await this.ledger.execute(configureCommand(tenantId, change, body));
    return outcome.type === "refused" ? answer(reply, outcome, 200) : serviceAsSet(service, parts, outcome.answer);
  }

  @Get()
  @Operation({
    summary: "What bounds one tenant at a service, and how it stands there now",
    description: "What binds all tenants stands at the service itself.",
    answer: TenantServiceDetailView,
  })
  async detail(@IdParam("tenant") tenantId: string, @ServiceParam() name: string): Promise<object> {
    const { flow, view, balances } = await this.read(tenantId, name);
    const live = await this.flow.show(name, limitsOf(flow), tenantId);
    return { ...view, balances, live: { ...live, shared: this.flow.isShared } };
  }

  @Delete()
  @Operation({
    summary: "Let a service's own settings alone bound the tenant",
    description: "What was taken of its share stays on record.",
    answer: TenantServiceView,
  })
  async remove(
    @IdParam("tenant") tenantId: string,
    @ServiceParam() service: string,
    @Filters() { reason }: ReasonBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const { view } = await this.read(tenantId, service);
    const change = { change: "share", service, allowances: {}, flow: null } as const;
    const outcome = await this.ledger.execute(configureCommand(tenantId, change, { reason }));
    return outcome.type === "refused" ? answer(reply, outcome, 200) : view;
  }

  private read(tenantId: string, service: string) {
    return inOneMoment(this.record, (record) => tenantServiceOf(record, tenantId, service));
  }
}
