import { events, type EventsOptions, type TenantEvent } from "../events/events.js";
import type { CallOptions, Sender } from "../http/sender.js";
import type * as t from "./types.js";

/** What `each` walks through. */
type List<Row> = (query: { cursor?: string }) => Promise<t.Page<Row>>;

/** Jobs: the identity that binds all work of one piece of incoming work. */
export class JobsApi {
  constructor(private readonly sender: Sender) {}

  /** Makes a job; with `parentJobId` a child, whose `grant` is held at the parent at once. */
  create(body: t.CreateJobBody = {}, call?: CallOptions): Promise<t.JobView> {
    return this.sender.send("jobs.create", { body }, call);
  }

  /** One page, newest first. */
  list(query: t.Query<"jobs.list"> = {}, call?: CallOptions): Promise<t.Page<t.JobView>> {
    return this.sender.send("jobs.list", { query }, call);
  }

  /** A job, what was taken of its limits, and how its reservations stand. */
  get(jobId: string, call?: CallOptions): Promise<t.JobDetailView> {
    return this.sender.send("jobs.detail", { params: { jobId } }, call);
  }

  children(
    jobId: string,
    query: t.Query<"jobs.children"> = {},
    call?: CallOptions,
  ): Promise<t.Answer<"jobs.children">> {
    return this.sender.send("jobs.children", { params: { jobId }, query }, call);
  }

  /** Admits nothing new, here and below. Idempotent. */
  close(jobId: string, call?: CallOptions): Promise<t.JobView> {
    return this.sender.send("jobs.close", { params: { jobId } }, call);
  }

  /** Admits nothing new, here and below; running attempts may settle. Idempotent. */
  cancel(jobId: string, call?: CallOptions): Promise<t.JobView> {
    return this.sender.send("jobs.cancel", { params: { jobId } }, call);
  }

  reservations(
    jobId: string,
    query: t.Query<"jobReservations.list"> = {},
    call?: CallOptions,
  ): Promise<t.Answer<"jobReservations.list">> {
    return this.sender.send("jobReservations.list", { params: { jobId }, query }, call);
  }
}

/** What `reserve` takes besides `dryRun`, which is a call of its own here. */
export type ReserveRequest = Omit<t.ReserveBody, "dryRun">;

/** Reservations: amounts held at every scope before work starts. */
export class ReservationsApi {
  constructor(private readonly sender: Sender) {}

  /** Takes all of it at every scope, or nothing. @throws AllowanceExhausted, ExceedsLimit. */
  async reserve(jobId: string, body: ReserveRequest, call?: CallOptions): Promise<t.ReservationView> {
    const answer = await this.sender.send("jobReservations.reserve", { params: { jobId }, body }, call);
    return answer as t.ReservationView;
  }

  /** Decides as `reserve` would, and changes nothing. */
  async dryRun(jobId: string, body: ReserveRequest, call?: CallOptions): Promise<t.DryRunView> {
    const request = { params: { jobId }, body: { ...body, dryRun: true } };
    return (await this.sender.send("jobReservations.reserve", request, call)) as t.DryRunView;
  }

  get(reservationId: string, call?: CallOptions): Promise<t.ReservationView> {
    return this.sender.send("reservations.detail", { params: { reservationId } }, call);
  }

  /** Books what was used besides the charges, in full, and returns the rest. The same again answers the same. */
  settle(reservationId: string, actual: t.Amounts, call?: CallOptions): Promise<t.ReservationView> {
    return this.sender.send("reservations.settle", { params: { reservationId }, body: { actual } }, call);
  }

  /** Closes it unused; what was charged stays spent. The same again answers the same. */
  release(reservationId: string, call?: CallOptions): Promise<t.ReservationView> {
    return this.sender.send("reservations.release", { params: { reservationId } }, call);
  }

  /** Moves the deadline to now and `ttlMs` milliseconds, never to an earlier one. */
  extend(reservationId: string, ttlMs: number, call?: CallOptions): Promise<t.ReservationView> {
    return this.sender.send("reservations.extend", { params: { reservationId }, body: { ttlMs } }, call);
  }

  /** Books one attempt of one child. The same facts again answer the same. */
  charge(reservationId: string, body: t.ChargeBody, call?: CallOptions): Promise<t.AttemptView> {
    return this.sender.send("charges.charge", { params: { reservationId }, body }, call);
  }

  attempts(
    reservationId: string,
    query: t.Query<"charges.attempts"> = {},
    call?: CallOptions,
  ): Promise<t.Answer<"charges.attempts">> {
    return this.sender.send("charges.attempts", { params: { reservationId }, query }, call);
  }

  /**
   * Leave to start one attempt of one child now, or within `waitMs`. An attempt whose answer is lost stays counted, so a
   * retry starts the next one.
   * @throws Shed where there is no capacity, AttemptsExhausted where the plan has no further attempt.
   */
  permit(reservationId: string, body: t.PermitBody, call?: CallOptions): Promise<t.PermitView> {
    const request = { params: { reservationId }, body, waitMs: body.waitMs ?? 0 };
    return this.sender.send("reservationPermits.start", request, call);
  }
}

/** Permits: attempts that have started. */
export class PermitsApi {
  constructor(private readonly sender: Sender) {}

  /** Keeps a permit for another lease. @throws Conflict where it has ended. */
  heartbeat(permitId: string, call?: CallOptions): Promise<t.LeaseView> {
    return this.sender.send("permits.heartbeat", { params: { permitId } }, call);
  }

  /** Charges what the attempt used, and frees its place. The same again answers the same, also after the lease. */
  finish(permitId: string, body: t.FinishBody, call?: CallOptions): Promise<t.FinishedView> {
    return this.sender.send("permits.finish", { params: { permitId }, body }, call);
  }
}

/** Every route that a tenant's key opens, typed from openapi.json. */
export class Api {
  readonly jobs: JobsApi;
  readonly reservations: ReservationsApi;
  readonly permits: PermitsApi;

  constructor(private readonly sender: Sender) {
    this.jobs = new JobsApi(sender);
    this.reservations = new ReservationsApi(sender);
    this.permits = new PermitsApi(sender);
  }

  /** Up to 1 000 operations, each decided on its own; one that needs an idempotency key is given one where it has none. */
  async batch(operations: readonly t.BatchOperation[], call?: CallOptions): Promise<t.OperationResult[]> {
    const body = { operations: operations.map(withKey) };
    return (await this.sender.send("batch.run", { body }, call)).results;
  }

  balances(query: t.Query<"balances.list"> = {}, call?: CallOptions): Promise<t.Page<t.BalanceView>> {
    return this.sender.send("balances.list", { query }, call);
  }

  /** Every entry that changed a balance, oldest first. */
  ledger(query: t.Query<"ledger.list"> = {}, call?: CallOptions): Promise<t.Page<t.EntryView>> {
    return this.sender.send("ledger.list", { query }, call);
  }

  /** What was denied, newest first; those that are alike within a minute are one row. */
  denials(query: t.Query<"denials.list"> = {}, call?: CallOptions): Promise<t.Page<t.DenialView>> {
    return this.sender.send("denials.list", { query }, call);
  }

  /** Why something was denied: every scope, its figures at that moment, and its last movements. */
  denial(denialId: string, call?: CallOptions): Promise<t.DenialDetailView> {
    return this.sender.send("denials.detail", { params: { denialId } }, call);
  }

  /** Where the tenant's events are told; secrets are not shown. */
  webhooks(query: t.Query<"ownWebhooks.list"> = {}, call?: CallOptions): Promise<t.Page<t.WebhookView>> {
    return this.sender.send("ownWebhooks.list", { query }, call);
  }

  /**
   * What changes at the tenant, as long as anybody listens: `for await (const event of holdfast.events())`. It says what has
   * changed, not how: ask again for what you keep. A connection that is lost is made again, however often, after waits as
   * before any retry, and what has changed meanwhile is told then. Leaving the loop closes it.
   * @throws the signal's reason; AccessRefused where the key opens it no more; UnexpectedAnswer where no Holdfast answers.
   */
  events(options?: EventsOptions): AsyncGenerator<TenantEvent, never, undefined> {
    return events(this.sender, options);
  }

  /** All rows of a list, page by page: `for await (const job of holdfast.each((page) => holdfast.jobs.list(page)))`. */
  async *each<Row>(list: List<Row>): AsyncGenerator<Row, void, undefined> {
    let cursor: string | null = null;
    do {
      const page: t.Page<Row> = await list(cursor === null ? {} : { cursor });
      yield* page.data;
      cursor = page.nextCursor;
    } while (cursor !== null);
  }
}

function withKey(operation: t.BatchOperation): t.BatchOperation {
  const keyed =
    operation.op === "createJob" ||
    operation.op === "charge" ||
    (operation.op === "reserve" && operation.dryRun !== true);
  return keyed ? { idempotencyKey: globalThis.crypto.randomUUID(), ...operation } : operation;
}
