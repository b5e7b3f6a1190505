import { Get } from "@nestjs/common";
import { BalanceView } from "../balances/balance.view.js";
import { BalancesQuery } from "../balances/balances.dto.js";
import { listBalances } from "../balances/list.js";
import { IdParam } from "../http/params.js";
import { AdminRoutes } from "../http/routes.js";
import { jobDetail } from "../jobs/detail.js";
import { JobsQuery } from "../jobs/job.dto.js";
import { JobDetailView, JobView } from "../jobs/job.view.js";
import { listChildren, listJobs } from "../jobs/list.js";
import { EntriesQuery } from "../ledger/entries.dto.js";
import { EntryView } from "../ledger/entry.view.js";
import { listEntries } from "../ledger/list.js";
import { PageQuery, type Listed } from "../lists/page.js";
import { Operation } from "../openapi/operation.js";
import { PrismaClient } from "../record/client.js";
import { requireTenant } from "../record/tenants.js";
import { listAttempts } from "../reservations/attempts.js";
import { listReservations, reservationDetail } from "../reservations/list.js";
import { AttemptView, ReservationView } from "../reservations/reservation.view.js";
import { Filters } from "../validation/pipe.js";
import { ActView } from "./act.view.js";
import { listActs } from "./acts.js";

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
    summary:
      "Every entry that changed a balance of a tenant, or what is set for it at a service, oldest first unless asked otherwise",
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

  @Get("jobs/:jobId/children")
  @Operation({ summary: "List the child jobs of a job of a tenant, newest first", answer: JobView, list: true })
  children(@IdParam("tenant") id: string, @IdParam("job") jobId: string, @Filters() query: PageQuery): Promise<Listed> {
    return listChildren(this.record, id, jobId, query);
  }

  @Get("jobs/:jobId/reservations")
  @Operation({
    summary: "List the reservations of a job of a tenant, newest first",
    answer: ReservationView,
    list: true,
  })
  reservations(
    @IdParam("tenant") id: string,
    @IdParam("job") jobId: string,
    @Filters() query: PageQuery,
  ): Promise<Listed> {
    return listReservations(this.record, id, jobId, query);
  }

  @Get("reservations/:reservationId")
  @Operation({ summary: "A reservation of a tenant", answer: ReservationView })
  reservation(@IdParam("tenant") id: string, @IdParam("reservation") reservationId: string): Promise<object> {
    return reservationDetail(this.record, id, reservationId);
  }

  @Get("reservations/:reservationId/attempts")
  @Operation({
    summary: "List what was charged to a reservation of a tenant, by child and attempt",
    answer: AttemptView,
    list: true,
  })
  attempts(
    @IdParam("tenant") id: string,
    @IdParam("reservation") reservationId: string,
    @Filters() query: PageQuery,
  ): Promise<Listed> {
    return listAttempts(this.record, id, reservationId, query);
  }

  @Get("acts")
  @Operation({
    summary: "What the operator did to a tenant besides its limits: when, who and why, newest first",
    description: "It was suspended, resumed or deleted, its enforcement changed, or a job of it was cancelled.",
    answer: ActView,
    list: true,
  })
  async acts(@IdParam("tenant") id: string, @Filters() query: PageQuery): Promise<Listed> {
    await requireTenant(this.record, id);
    return listActs(this.record, id, query);
  }
}
