import { Get, Post } from "@nestjs/common";
import { TASKS, type RunView } from "#libs/reconcile";
import type * as rows from "../../../prisma/generated/client.js";
import { AdminRoutes } from "../http/routes.js";
import { listed, pageOf, type Listed } from "../lists/page.js";
import { Operation } from "../openapi/operation.js";
import { Problem } from "../problems/problem.js";
import { PrismaClient } from "../record/client.js";
import { recordNow } from "../record/tenants.js";
import { Filters, OptionalPayload } from "../validation/pipe.js";
import { ReconcileBody, ReconcileRunView, RunNowView, RunsQuery } from "./reconcile.dto.js";
import { ReconcileRunner } from "./runner.js";

@AdminRoutes("")
export class ReconcileController {
  constructor(
    private readonly runner: ReconcileRunner,
    private readonly record: PrismaClient,
  ) {}

  @Get("audit")
  @Operation({
    summary: "The newest audit: where ledger, balances and copies differ, if they do",
    answer: ReconcileRunView,
  })
  async audit(): Promise<object> {
    const run = await this.record.reconcileRun.findFirst({
      where: { task: "audit", finishedAt: { not: null } },
      orderBy: { seq: "desc" },
    });
    if (!run) throw new Problem("not_found", "No audit has run yet.");
    return runView(run);
  }

  @Post("reconcile")
  @Operation({ summary: "Run tasks of the reconciler now, and wait for them", answer: RunNowView })
  async run(@OptionalPayload() { tasks = [...TASKS] }: ReconcileBody): Promise<{ data: readonly RunView[] }> {
    // The queue waits longer for the record than a client should.
    await recordNow(this.record);
    return { data: await this.runner.runNow([...new Set(tasks)]) };
  }

  @Get("reconcile/runs")
  @Operation({ summary: "List the runs of the reconciler, newest first", answer: ReconcileRunView, list: true })
  async runs(@Filters() query: RunsQuery): Promise<Listed> {
    const page = pageOf("runs", query);
    const found = await this.record.reconcileRun.findMany({
      where: { seq: page.after === undefined ? {} : { lt: page.after }, ...(query.task && { task: query.task }) },
      orderBy: { seq: "desc" },
      take: page.limit + 1,
    });
    return listed(page, found, runView);
  }
}

function runView(run: rows.ReconcileRun): object {
  const { id, task, trigger, startedAt, finishedAt, outcome, handled, failed, detail } = run;
  return {
    id,
    task,
    trigger,
    startedAt: startedAt.toISOString(),
    finishedAt: finishedAt && finishedAt.toISOString(),
    outcome,
    handled,
    failed,
    detail,
  };
}
