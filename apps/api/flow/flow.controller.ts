import { Get } from "@nestjs/common";
import { Flow } from "#libs/flow";
import { Metrics, sumBy, total } from "#libs/telemetry";
import { AdminRoutes } from "../http/routes.js";
import { Operation } from "../openapi/operation.js";
import { FlowView } from "./flow.view.js";

@AdminRoutes("flow")
export class FlowController {
  constructor(
    private readonly flow: Flow,
    private readonly metrics: Metrics,
  ) {}

  @Get()
  @Operation({ summary: "What this process granted and shed since it started, and why", answer: FlowView })
  async show(): Promise<object> {
    const { permits, shed, waited, alone, unheard } = this.metrics.instruments;
    const { granted = 0, aborted = 0 } = await sumBy(permits, "result");
    return {
      shared: this.flow.isShared,
      granted,
      refused: await sumBy(shed, "reason"),
      waiting: this.flow.waiting,
      waited: await total(waited),
      aborted,
      fallbacks: await total(alone),
      unheard: await total(unheard),
    };
  }
}
