import { Get, Post, Put, Res } from "@nestjs/common";
import { ApiExtraModels } from "@nestjs/swagger";
import type { FastifyReply } from "fastify";
import { Flow } from "#libs/flow";
import { Ledger, serviceBookId } from "#libs/ledger";
import { AllowanceBody } from "../allowances/allowance.dto.js";
import { answer } from "../http/answer.js";
import { ServiceParam } from "../http/params.js";
import { AdminRoutes } from "../http/routes.js";
import { EntriesQuery } from "../ledger/entries.dto.js";
import { EntryView } from "../ledger/entry.view.js";
import { listEntries } from "../ledger/list.js";
import { afterOf, cursorOf } from "../lists/cursor.js";
import { limitOf, PageQuery, type Listed } from "../lists/page.js";
import { Operation } from "../openapi/operation.js";
import { Problem } from "../problems/problem.js";
import { PrismaClient } from "../record/client.js";
import { configureCommand } from "../tenants/configure.js";
import { AllowanceSettingView } from "../tenants/tenant.view.js";
import { SERVICE_NAME } from "../validation/service-name.js";
import { Filters, Payload } from "../validation/pipe.js";
import { limitsOf } from "./limits.js";
import {
  findService,
  inOneMoment,
  MADE,
  nameService,
  partsOf,
  serviceAsSet,
  serviceBalances,
  serviceViews,
} from "./record.js";
import { BreakerStateBody, checkService, OperatorServiceBody, type ServiceBody } from "./service.dto.js";
import { ServiceDetailView, ServiceLiveView, ServiceView } from "./service.view.js";

/** Services as the operator sets them, over all tenants. */
@AdminRoutes("services")
@ApiExtraModels(ServiceLiveView, AllowanceBody, AllowanceSettingView)
export class ServicesController {
  constructor(
    private readonly record: PrismaClient,
    private readonly ledger: Ledger,
    private readonly flow: Flow,
  ) {}

  @Put(":service")
  @Operation({
    summary: "Make a service, or replace all its settings",
    description:
      "What is left out does not bind; 0 lets nothing through. Allowances hold at once, and what was taken of them stays " +
      "taken. The others hold within a second in every process. What changed is journalled, with the reason.",
    answer: ServiceView,
  })
  async set(
    @ServiceParam() name: string,
    @Payload() body: OperatorServiceBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    checkService(body);
    await nameService(this.record, name);
    const parts = partsOf(body);
    const change = { change: "service", ...parts } as const;
    const outcome = await this.ledger.execute(configureCommand(serviceBookId(name), change, body));
    return outcome.type === "refused" ? answer(reply, outcome, 200) : serviceAsSet(name, parts, outcome.answer);
  }

  @Get()
  @Operation({ summary: "List services by name", answer: ServiceView, list: true })
  async list(@Filters() query: PageQuery): Promise<Listed> {
    const limit = limitOf(query.limit);
    const after = afterOf("services", query.cursor, SERVICE_NAME) ?? "";
    const where = { name: { gt: after }, ...MADE };
    const [rows, views] = await inOneMoment(this.record, async (record) => {
      const found = await record.service.findMany({ where, orderBy: { name: "asc" }, take: limit + 1 });
      return [found, await serviceViews(record, found)];
    });
    const last = rows.length > limit ? rows[limit - 1] : undefined;
    const data = views.slice(0, limit);
    return { data, nextCursor: last ? cursorOf("services", last.name) : null };
  }

  @Get(":service")
  @Operation({ summary: "A service, and how it stands now", answer: ServiceDetailView })
  async detail(@ServiceParam() name: string): Promise<object> {
    return this.shown(name);
  }

  @Get(":service/ledger")
  @Operation({
    summary:
      "Every entry that changed a balance of a service, or what is set for it, oldest first unless asked otherwise",
    description: "The work of all tenants, each entry with whose it was, and who changed a setting.",
    answer: EntryView,
    list: true,
  })
  async entries(@ServiceParam() name: string, @Filters() query: EntriesQuery): Promise<Listed> {
    await findService(this.record, name);
    return listEntries(this.record, serviceBookId(name), query);
  }

  @Post(":service/breaker")
  @Operation({
    summary: "Open or close the breaker by hand",
    answer: ServiceDetailView,
    problems: ["conflict"],
  })
  async setBreaker(@ServiceParam() name: string, @Payload() { state }: BreakerStateBody): Promise<object> {
    const row = await findService(this.record, name);
    const limits = limitsOf(row.settings as ServiceBody);
    if (!limits.breaker) throw new Problem("conflict", `Service ${name} has no breaker.`);
    await (state === "open" ? this.flow.trip(name, limits) : this.flow.reset(name, limits));
    return this.shown(name);
  }

  private async shown(name: string): Promise<object> {
    const { row, view, balances } = await inOneMoment(this.record, async (record) => {
      const found = await findService(record, name);
      const [shown] = await serviceViews(record, [found]);
      return { row: found, view: shown, balances: await serviceBalances(record, name) };
    });
    const live = await this.flow.show(name, limitsOf(row.settings as ServiceBody));
    return { ...view, balances, live: { ...live, shared: this.flow.isShared } };
  }
}
