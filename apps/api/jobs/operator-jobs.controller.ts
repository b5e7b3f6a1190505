import { Post, Res } from "@nestjs/common";
import type { FastifyReply } from "fastify";
import { Ledger } from "#libs/ledger";
import { answer } from "../http/answer.js";
import { IdParam } from "../http/params.js";
import { AdminRoutes } from "../http/routes.js";
import { Operation } from "../openapi/operation.js";
import { byOperator } from "../tenants/configure.js";
import { ReasonBody } from "../tenants/reason.dto.js";
import { OptionalPayload } from "../validation/pipe.js";
import { JobView } from "./job.view.js";

/** What the operator may do to the jobs of a tenant. */
@AdminRoutes("tenants/:tenantId/jobs/:jobId")
export class OperatorJobsController {
  constructor(private readonly ledger: Ledger) {}

  @Post("cancel")
  @Operation({
    summary: "Cancel a job of a tenant and all below it, as the tenant itself could",
    description:
      "Nothing new is admitted; running attempts may settle. Who did it, and why, is journalled with it and stands in " +
      "the job. The same request again answers the same, and journals nothing more.",
    answer: JobView,
    problems: ["job_not_open", "conflict"],
  })
  async cancel(
    @IdParam("tenant") tenantId: string,
    @IdParam("job") jobId: string,
    @OptionalPayload() { reason }: ReasonBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const command = { type: "endJob", tenantId, jobId, state: "cancelled", by: byOperator(reason) } as const;
    return answer(reply, await this.ledger.execute(command), 200);
  }
}
