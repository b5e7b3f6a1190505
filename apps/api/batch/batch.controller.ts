import { Post, Req } from "@nestjs/common";
import { ApiExtraModels } from "@nestjs/swagger";
import type { TenantRequest } from "../http/request.js";
import { TenantRoutes } from "../http/routes.js";
import { Operation } from "../openapi/operation.js";
import { Payload } from "../validation/pipe.js";
import { BatchBody, OPERATIONS } from "./batch.dto.js";
import { BatchView, type OperationResult } from "./batch.view.js";
import { BatchRunner } from "./run.js";

@TenantRoutes("batch")
@ApiExtraModels(...Object.values(OPERATIONS))
export class BatchController {
  constructor(private readonly runner: BatchRunner) {}

  @Post()
  @Operation({
    summary: "Run up to 1000 operations, each decided on its own",
    description:
      "The operations are independent: none waits for the one before it. Each result is what the operation's own route " +
      "would have answered; `errors` point into the operation.",
    answer: BatchView,
  })
  async run(
    @Payload() { operations }: BatchBody,
    @Req() { tenantId }: TenantRequest,
  ): Promise<{ results: OperationResult[] }> {
    return { results: await this.runner.run(tenantId, operations) };
  }
}
