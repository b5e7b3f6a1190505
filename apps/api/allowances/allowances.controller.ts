import { Post, Put, Req, Res } from "@nestjs/common";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Ledger } from "#libs/ledger";
import { answer } from "../http/answer.js";
import { IdParam, UnitParam } from "../http/params.js";
import { AdminRoutes } from "../http/routes.js";
import { keyOfHeader } from "../idempotency/key.js";
import { Operation } from "../openapi/operation.js";
import { configureCommand } from "../tenants/configure.js";
import { Payload } from "../validation/pipe.js";
import { AdjustBody, limitOfBody, SetAllowanceBody } from "./allowance.dto.js";
import { AllowanceView } from "./allowance.view.js";

@AdminRoutes("tenants/:tenantId/allowances/:unit")
export class AllowancesController {
  constructor(private readonly ledger: Ledger) {}

  @Put()
  @Operation({
    summary: "Set an allowance of a tenant",
    description: "Takes effect at once, also below what is taken already. The change is journalled.",
    answer: AllowanceView,
  })
  async set(
    @IdParam("tenant") tenantId: string,
    @UnitParam() unit: string,
    @Payload() { limit, period, timeZone, reason }: SetAllowanceBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const setting = { limit: limitOfBody(limit), period: period ?? null, timeZone: timeZone ?? null };
    const change = { change: "allowance", unit, ...setting } as const;
    return answer(reply, await this.ledger.execute(configureCommand(tenantId, change, { reason })), 200);
  }

  @Post("adjust")
  @Operation({
    summary: "Top up or cut an allowance",
    answer: AllowanceView,
    key: "required",
    problems: ["conflict", "unit_unknown"],
  })
  async adjust(
    @IdParam("tenant") tenantId: string,
    @UnitParam() unit: string,
    @Payload() body: AdjustBody,
    @Req() { headers }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const path = `/v1/admin/tenants/${tenantId}/allowances/${unit}/adjust`;
    const key = keyOfHeader(headers, "a", { method: "POST", path, body });
    const { delta, reason } = body;
    const command = configureCommand(tenantId, { change: "adjust", unit, delta }, { reason, key });
    return answer(reply, await this.ledger.execute(command), 200);
  }
}
