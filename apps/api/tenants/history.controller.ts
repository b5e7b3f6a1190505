import { Get } from "@nestjs/common";
import { BalanceView } from "../balances/balance.view.js";
import { BalancesQuery } from "../balances/balances.dto.js";
import { listBalances } from "../balances/list.js";
import { IdParam } from "../http/params.js";
import { AdminRoutes } from "../http/routes.js";
import { jobDetail } from "../jobs/detail.js";
import { JobsQuery } from "../jobs/job.dto.js";
import { JobDetailView, JobView } from "../jobs/job.view.js";
import { listJobs } from "../jobs/list.js";
import { EntriesQuery } from "../ledger/entries.dto.js";
import { EntryView } from "../ledger/entry.view.js";
import { listEntries } from "../ledger/list.js";
import type { Listed } from "../lists/page.js";
import { Operation } from "../openapi/operation.js";
import { PrismaClient } from "../record/client.js";
import { requireTenant } from "../record/tenants.js";
import { Filters } from "../validation/pipe.js";

/** What a tenant sees of itself, for the operator; it stays readable when the tenant is deleted. */
@AdminRoutes("tenants/:tenantId")
export class HistoryController {
  constructor(private readonly record: PrismaClient) {}

  @Get("balances")
  @Operation({
    summary: "What was taken of the limits of a tenant, a user, a job or its share of a service",
    answer: BalanceView,
    list: true,
  })
  async balances(@IdParam("tenant") id: string, @Filters() query: BalancesQuery): Promise<Listed> {
    await requireTenant(this.record, id);
    return listBalances(this.record, id, query);
  }

  @Get("ledger")
  @Operation({
    summary: "Every entry that changed a balance of a tenant, or what is set for it at a service, oldest first",
    answer: EntryView,
    list: true,
  })
  async ledger(@IdParam("tenant") id: string, @Filters() query: EntriesQuery): Promise<Listed> {
    await requireTenant(this.record, id);
    return listEntries(this.record, id, query);
  }

  @Get("jobs")
  @Operation({ summary: "List the jobs of a tenant, newest first", answer: JobView, list: true })
  async jobs(@IdParam("tenant") id: string, @Filters() query: JobsQuery): Promise<Listed> {
    await requireTenant(this.record, id);
    return listJobs(this.record, id, query);
  }

  @Get("jobs/:jobId")
  @Operation({ summary: "A job of a tenant", answer: JobDetailView })
  job(@IdParam("tenant") id: string, @IdParam("job") jobId: string): Promise<object> {
    return jobDetail(this.record, id, jobId);
  }
}
