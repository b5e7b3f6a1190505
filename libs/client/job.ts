import type { Amounts, CreateJobBody, JobDetailView, JobView } from "./api/types.js";
import type { FanOut } from "./fan-out/fan-out.js";
import type { FanOutOptions, Worker } from "./fan-out/types.js";
import type { CallOptions } from "./http/sender.js";
import type { JobRef, ReservationContext, WithReservationOptions } from "./reservation/options.js";

/** What a job asks of its client. */
export interface JobClient {
  readonly jobs: {
    get(jobId: string, call?: CallOptions): Promise<JobDetailView>;
    close(jobId: string, call?: CallOptions): Promise<JobView>;
    cancel(jobId: string, call?: CallOptions): Promise<JobView>;
  };
  openJob(fields: CreateJobBody, call?: CallOptions): Promise<Job>;
  withReservation<R>(
    job: JobRef,
    amounts: Amounts,
    work: (context: ReservationContext) => Promise<R> | R,
    options?: WithReservationOptions,
  ): Promise<R>;
  fanOut<T, R>(items: Iterable<T>, worker: Worker<T, R>, options: FanOutOptions): FanOut<T, R>;
}

/** One piece of incoming work; all that is done for it is bound to it. */
export class Job {
  /** Out of the way of whoever prints a job. */
  readonly #client: JobClient;

  constructor(
    client: JobClient,
    readonly id: string,
  ) {
    this.#client = client;
  }

  /**
   * A child job that can spend its grant and no more, held at this job at once. What it does not spend comes back when it ends.
   * @throws Denied where this job does not hold the grant.
   */
  child(grant: Amounts, fields: Omit<CreateJobBody, "parentJobId" | "grant"> = {}, call?: CallOptions): Promise<Job> {
    return this.#client.openJob({ ...fields, parentJobId: this.id, grant: { ...grant } }, call);
  }

  /** See `Holdfast.withReservation`. */
  withReservation<R>(
    amounts: Amounts,
    work: (context: ReservationContext) => Promise<R> | R,
    options?: WithReservationOptions,
  ): Promise<R> {
    return this.#client.withReservation(this, amounts, work, options);
  }

  /** See `Holdfast.fanOut`. The job stays open. */
  fanOut<T, R>(items: Iterable<T>, worker: Worker<T, R>, options: Omit<FanOutOptions, "job">): FanOut<T, R> {
    return this.#client.fanOut(items, worker, { ...options, job: this });
  }

  get(call?: CallOptions): Promise<JobDetailView> {
    return this.#client.jobs.get(this.id, call);
  }

  /** Admits nothing new, here and below. Idempotent. */
  close(call?: CallOptions): Promise<JobView> {
    return this.#client.jobs.close(this.id, call);
  }

  /** The same, and what runs should stop: it may settle what it used. Idempotent. */
  cancel(call?: CallOptions): Promise<JobView> {
    return this.#client.jobs.cancel(this.id, call);
  }
}
