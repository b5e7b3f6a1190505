import { Controller, Get, Res, UseGuards } from "@nestjs/common";
import { ApiExcludeController } from "@nestjs/swagger";
import type { FastifyReply } from "fastify";
import { Metrics } from "#libs/telemetry";
import { AdminGuard } from "../auth/guards.js";

/** The figures of this process for Prometheus, where they have no port of their own: to the operator's key. */
@Controller("metrics")
@UseGuards(AdminGuard)
@ApiExcludeController()
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  @Get()
  show(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    void reply.type(this.metrics.contentType);
    return this.metrics.show();
  }
}
