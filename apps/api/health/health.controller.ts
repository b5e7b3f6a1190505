import { Controller, Get, HttpCode, Res } from "@nestjs/common";
import { ApiOperation, ApiResponse, ApiTags } from "@nestjs/swagger";
import type { FastifyReply } from "fastify";
import { LiveView, ReadyView } from "./health.view.js";
import { Readiness } from "./readiness.js";

@Controller("health")
@ApiTags("health")
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  @Get("live")
  @HttpCode(200)
  @ApiOperation({ summary: "Whether the process runs" })
  @ApiResponse({ status: 200, type: LiveView })
  live(): object {
    return { status: "live" };
  }

  @Get("ready")
  @ApiOperation({ summary: "Whether requests should be sent here" })
  @ApiResponse({ status: 200, type: ReadyView, description: "Ready" })
  @ApiResponse({ status: 503, type: ReadyView, description: "Not ready: a check is bad" })
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const { status, checks } = await this.readiness.check();
    if (status === "unready") void reply.code(503).header("retry-after", "1");
    return { status, checks };
  }
}
