import { Get } from "@nestjs/common";
import { ServiceParam } from "../http/params.js";
import { AdminRoutes } from "../http/routes.js";
import { Operation } from "../openapi/operation.js";
import { PrismaClient } from "../record/client.js";
import { findService } from "../services/record.js";
import { Filters } from "../validation/pipe.js";
import { HistoryQuery, HistoryView, ServiceHistoryView, SpanQuery } from "./history.dto.js";
import { readHistory, readServiceHistory } from "./read.js";

const KEPT =
  "Steps of whole 300 000 ms are kept for a week, others for six hours, unless that is set otherwise. " +
  "What is counted arrives within ten seconds.";

/** Figures over time, of all processes together. */
@AdminRoutes("")
export class FiguresController {
  constructor(private readonly record: PrismaClient) {}

  @Get("history")
  @Operation({
    summary: "What was admitted, denied, shed, spent and held over time",
    description: KEPT,
    answer: HistoryView,
  })
  history(@Filters() query: HistoryQuery): Promise<object> {
    return readHistory(this.record, query);
  }

  @Get("services/:service/history")
  @Operation({ summary: "How a service stood over time", description: KEPT, answer: ServiceHistoryView })
  async ofService(@ServiceParam() name: string, @Filters() query: SpanQuery): Promise<object> {
    await findService(this.record, name);
    return readServiceHistory(this.record, name, query);
  }
}
