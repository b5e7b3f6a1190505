import { Shown } from "../openapi/shown.js";

const COUNT = { type: "integer", minimum: 0 };

/** What became of the callers of one process since it started. */
export class FlowView {
  @Shown({ type: "boolean" }, { description: "Whether decisions are shared with the other processes now." })
  shared!: boolean;

  @Shown(COUNT)
  granted!: number;

  @Shown({ type: "object", additionalProperties: COUNT }, { description: "Reason → refusals." })
  refused!: object;

  @Shown(COUNT, { description: "Callers that wait now." })
  waiting!: number;

  @Shown(COUNT, { description: "Callers that had to wait." })
  waited!: number;

  @Shown(COUNT, { description: "Callers that went away before they had an answer." })
  aborted!: number;

  @Shown(COUNT, { description: "Decisions that this process made alone because Redis did not answer." })
  fallbacks!: number;

  @Shown(COUNT, { description: "Ends of permits that Redis did not hear of; those leases end by themselves." })
  unheard!: number;
}
