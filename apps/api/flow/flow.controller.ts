import { Get } from "@nestjs/common";
import { Flow } from "#libs/flow";
import { AdminRoutes } from "../http/routes.js";
import { Operation } from "../openapi/operation.js";
import { FlowView } from "./flow.view.js";

@AdminRoutes("flow")
export class FlowController {
  constructor(private readonly flow: Flow) {}

  @Get()
  @Operation({ summary: "What this process granted and shed since it started, and why", answer: FlowView })
  show(): object {
    const { granted, refused, waited, aborted, fallbacks, unheard } = this.flow.counters;
    const { waiting, isShared } = this.flow;
    return { shared: isShared, granted, refused, waiting, waited, aborted, fallbacks, unheard };
  }
}
