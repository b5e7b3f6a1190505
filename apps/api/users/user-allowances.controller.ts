import { Delete, Get, Put, Res } from "@nestjs/common";
import type { FastifyReply } from "fastify";
import { balanceView, Ledger, limitView, userPlace, type UserAllowanceSetting } from "#libs/ledger";
import { limitOfBody, UserAllowanceBody } from "../allowances/allowance.dto.js";
import { UserAllowanceView } from "../allowances/allowance.view.js";
import { balancesAt } from "../balances/list.js";
import { answer } from "../http/answer.js";
import { IdParam, UnitParam, UserParam } from "../http/params.js";
import { AdminRoutes } from "../http/routes.js";
import type { Listed } from "../lists/page.js";
import { Operation } from "../openapi/operation.js";
import { PrismaClient } from "../record/client.js";
import { findOwnLimits, findTenant, recordNow } from "../record/tenants.js";
import { configureCommand } from "../tenants/configure.js";
import { ReasonBody } from "../tenants/reason.dto.js";
import { Filters, Payload } from "../validation/pipe.js";

/** The limits that single users have of their own, over the default of their tenant. */
@AdminRoutes("tenants/:tenantId/users/:user/allowances")
export class UserAllowancesController {
  constructor(
    private readonly ledger: Ledger,
    private readonly record: PrismaClient,
  ) {}

  @Get()
  @Operation({ summary: "The user's own limits, all on one page", answer: UserAllowanceView, list: true })
  async list(@IdParam("tenant") tenantId: string, @UserParam() user: string): Promise<Listed> {
    const [{ settings }, own, now] = await Promise.all([
      findTenant(this.record, tenantId),
      findOwnLimits(this.record, tenantId, user),
      recordNow(this.record),
    ]);
    const units = Object.keys(own);
    const places = units.map((unit) => userPlace(settings, user, own[unit], unit, now));
    const balances = await balancesAt(this.record, tenantId, places);
    const data = units.map((unit, i) => {
      const { limit, period, timeZone } = own[unit]!;
      return { user, unit, limit: limitView(limit), period, timeZone, balance: balanceView(balances[i]!) };
    });
    return { data, nextCursor: null };
  }

  @Put(":unit")
  @Operation({ summary: "Set a user's own limit", answer: UserAllowanceView, problems: ["unit_unknown"] })
  set(
    @IdParam("tenant") tenantId: string,
    @UserParam() user: string,
    @UnitParam() unit: string,
    @Payload() { limit, period, timeZone, reason }: UserAllowanceBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const setting = { limit: limitOfBody(limit), period: period ?? null, timeZone: timeZone ?? null };
    return this.configure(reply, tenantId, { user, unit, setting }, reason);
  }

  @Delete(":unit")
  @Operation({
    summary: "Take a user's own limit away: the tenant's default binds",
    description: "Answers what binds now, also where there was no limit of its own. What was taken stays taken.",
    answer: UserAllowanceView,
    problems: ["unit_unknown"],
  })
  remove(
    @IdParam("tenant") tenantId: string,
    @UserParam() user: string,
    @UnitParam() unit: string,
    @Filters() { reason }: ReasonBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    return this.configure(reply, tenantId, { user, unit, setting: null }, reason);
  }

  private async configure(
    reply: FastifyReply,
    tenantId: string,
    own: { user: string; unit: string; setting: UserAllowanceSetting | null },
    reason: string | undefined,
  ): Promise<object> {
    const command = configureCommand(tenantId, { change: "userAllowance", ...own }, { reason });
    return answer(reply, await this.ledger.execute(command), 200);
  }
}
