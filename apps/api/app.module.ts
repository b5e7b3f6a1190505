import { Module, type DynamicModule } from "@nestjs/common";
import { APP_FILTER } from "@nestjs/core";
import { Flow } from "#libs/flow";
import { Ledger, type LedgerLog } from "#libs/ledger";
import { Metrics } from "#libs/telemetry";
import { AllowancesController } from "./allowances/allowances.controller.js";
import { Authenticator } from "./auth/authenticator.js";
import { AdminGuard, TenantGuard } from "./auth/guards.js";
import { BalancesController } from "./balances/balances.controller.js";
import { BatchController } from "./batch/batch.controller.js";
import { BatchRunner } from "./batch/run.js";
import { ConsoleController } from "./console/console.controller.js";
import { ConsoleFiles } from "./console/files.js";
import { DenialsController, TenantDenialsController } from "./denials/denials.controller.js";
import { DocsController } from "./openapi/docs.controller.js";
import { EventDesk } from "./events/desk.js";
import { AdminEventsController, EventsController } from "./events/events.controller.js";
import { FlowController } from "./flow/flow.controller.js";
import { HealthController } from "./health/health.controller.js";
import { FiguresController } from "./history/figures.controller.js";
import { Readiness } from "./health/readiness.js";
import { ProblemFilter } from "./http/filter.js";
import { JobLimits } from "./jobs/create.js";
import { OperatorJobsController } from "./jobs/operator-jobs.controller.js";
import { JobsController } from "./jobs/jobs.controller.js";
import { KeysController } from "./keys/keys.controller.js";
import { LedgerController } from "./ledger/ledger.controller.js";
import { MetricsController } from "./telemetry/metrics.controller.js";
import { PermitDesk } from "./permits/desk.js";
import { PermitsController } from "./permits/permits.controller.js";
import { ReservationPermitsController } from "./permits/reservation-permits.controller.js";
import { PermitTokens } from "./permits/token.js";
import { ReconcileController } from "./reconcile/reconcile.controller.js";
import { ReconcileRunner } from "./reconcile/runner.js";
import { PrismaClient } from "./record/client.js";
import { ChargesController } from "./reservations/charges.controller.js";
import { JobReservationsController } from "./reservations/job-reservations.controller.js";
import { ReservationsController } from "./reservations/reservations.controller.js";
import { ServicesController } from "./services/services.controller.js";
import { ServiceTenantsController, TenantServicesListController } from "./services/own-settings.controller.js";
import { TenantServicesController } from "./services/tenant-services.controller.js";
import { HistoryController } from "./tenants/history.controller.js";
import { TenantsController } from "./tenants/tenants.controller.js";
import { UserAllowancesController } from "./users/user-allowances.controller.js";
import { UsersController } from "./users/users.controller.js";
import { WebhookDesk } from "./webhooks/desk.js";
import {
  OperatorWebhookDeliveriesController,
  OperatorWebhooksController,
  OwnWebhooksController,
  WebhookDeliveriesController,
  WebhooksController,
} from "./webhooks/webhooks.controller.js";

/** What the routes need, made before the application and ended after it. */
export interface ApiParts {
  readonly ledger: Ledger;
  readonly flow: Flow;
  readonly desk: PermitDesk;
  readonly tokens: PermitTokens;
  readonly record: PrismaClient;
  readonly authenticator: Authenticator;
  readonly readiness: Readiness;
  readonly runner: ReconcileRunner;
  readonly jobLimits: JobLimits;
  readonly metrics: Metrics;
  readonly webhooks: WebhookDesk;
  readonly events: EventDesk;
  readonly log: LedgerLog;
}

const CONTROLLERS = [
  JobsController,
  JobReservationsController,
  ReservationsController,
  ChargesController,
  ReservationPermitsController,
  PermitsController,
  BatchController,
  BalancesController,
  LedgerController,
  DenialsController,
  TenantsController,
  KeysController,
  AllowancesController,
  UserAllowancesController,
  UsersController,
  OperatorJobsController,
  ServicesController,
  TenantServicesController,
  TenantServicesListController,
  ServiceTenantsController,
  FlowController,
  AdminEventsController,
  EventsController,
  MetricsController,
  WebhooksController,
  WebhookDeliveriesController,
  OperatorWebhooksController,
  OperatorWebhookDeliveriesController,
  OwnWebhooksController,
  HistoryController,
  TenantDenialsController,
  FiguresController,
  ReconcileController,
  HealthController,
  DocsController,
  ConsoleController,
];

@Module({})
export class AppModule {
  static of(parts: ApiParts): DynamicModule {
    const { ledger, flow, desk, tokens, record, authenticator, readiness, runner, jobLimits, metrics, log } = parts;
    return {
      module: AppModule,
      controllers: CONTROLLERS,
      providers: [
        { provide: Ledger, useValue: ledger },
        { provide: Flow, useValue: flow },
        { provide: PermitDesk, useValue: desk },
        { provide: PermitTokens, useValue: tokens },
        { provide: PrismaClient, useValue: record },
        { provide: Authenticator, useValue: authenticator },
        { provide: Readiness, useValue: readiness },
        { provide: ReconcileRunner, useValue: runner },
        { provide: BatchRunner, useValue: new BatchRunner(ledger, jobLimits, log) },
        { provide: JobLimits, useValue: jobLimits },
        { provide: ConsoleFiles, useValue: ConsoleFiles.read() },
        { provide: Metrics, useValue: metrics },
        { provide: WebhookDesk, useValue: parts.webhooks },
        { provide: EventDesk, useValue: parts.events },
        { provide: APP_FILTER, useValue: new ProblemFilter(log) },
        TenantGuard,
        AdminGuard,
      ],
    };
  }
}
