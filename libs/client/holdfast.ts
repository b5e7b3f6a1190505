import { Api } from "./api/api.js";
import type { Amounts, CreateJobBody } from "./api/types.js";
import { Closer, type ClosedAs } from "./closing/closing.js";
import type { Closing } from "./closing/facts.js";
import { Journal } from "./closing/journal.js";
import { replay, type Replayed } from "./closing/replay.js";
import { FanOut } from "./fan-out/fan-out.js";
import { Run } from "./fan-out/run.js";
import type { FanOutOptions, Worker } from "./fan-out/types.js";
import { RETRY_DEFAULTS, type RetryOptions } from "./http/backoff.js";
import { Sender, type CallOptions } from "./http/sender.js";
import { Job } from "./job.js";
import type { JobRef, ReservationContext, WithReservationOptions } from "./reservation/options.js";
import { withReservation } from "./reservation/with-reservation.js";

export interface HoldfastOptions {
  /** Where Holdfast listens, such as `http://127.0.0.1:8080`. */
  readonly baseUrl: string;
  /** The key of a tenant. */
  readonly apiKey: string;
  /** Longest wait for the answer to one try, milliseconds; default 30 000. A permit's own wait comes on top. */
  readonly timeoutMs?: number | undefined;
  readonly retries?: Partial<RetryOptions> | undefined;
  /**
   * A file that keeps what the service could not be told of use, until the next start tells it. One process at a time uses a
   * file, for one tenant. Without it, `NotSettled` is thrown and says what is left to tell.
   */
  readonly journal?: string | undefined;
  /** Used instead of the platform's own. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

const TIMEOUT_MS = 30_000;

/** A tenant's Holdfast: every route, and the ways to use them that leak nothing. */
export class Holdfast extends Api {
  /** What the journal of an earlier process had left to tell; nothing without a journal. Never rejects but for the file itself. */
  readonly replayed: Promise<Replayed>;
  readonly #closer: Closer;

  constructor({ baseUrl, apiKey, timeoutMs = TIMEOUT_MS, retries = {}, journal, fetch }: HoldfastOptions) {
    const { protocol, href } = new URL(baseUrl);
    if (protocol !== "http:" && protocol !== "https:") throw new TypeError(`baseUrl is no address of http: ${baseUrl}`);
    super(
      new Sender({
        baseUrl: href.replace(/\/+$/, ""),
        apiKey,
        timeoutMs,
        retries: { ...RETRY_DEFAULTS, ...retries },
        fetch: fetch ?? ((url, init) => globalThis.fetch(url, init)),
      }),
    );
    const kept = journal === undefined ? undefined : new Journal(journal);
    this.#closer = new Closer(this, kept);
    this.replayed = kept ? replay(kept, this.#closer) : Promise.resolve({ told: [], refused: [], kept: [] });
    this.replayed.catch(() => undefined);
  }

  /** Makes a job. */
  async openJob(fields: CreateJobBody = {}, call?: CallOptions): Promise<Job> {
    return this.job((await this.jobs.create(fields, call)).id);
  }

  /** A job that there is already. */
  job(id: string): Job {
    return new Job(this, id);
  }

  /**
   * Holds amounts while `work` runs, and settles what it used. However the work ends, exactly one of settle and release takes
   * effect:
   * - it returns or throws: what it told is settled. A unit that it did not tell counts as planned, unless the error is a
   *   service's own refusal (HTTP 4xx but 408, 503, 529), which uses nothing;
   * - it is told to stop (the caller's signal, the time limit, the end of the job): it is waited for `graceMs`, then the same;
   * - it never started: released.
   * @throws what the work throws; Denied where it does not fit; a StateRefused where the key is that of a reservation that has
   * ended; NotSettled where what was used could not be booked.
   */
  withReservation<R>(
    job: JobRef,
    amounts: Amounts,
    work: (context: ReservationContext) => Promise<R> | R,
    options?: WithReservationOptions,
  ): Promise<R> {
    return withReservation({ api: this, closer: this.#closer }, [job, amounts], work, options);
  }

  /**
   * Runs `worker` over all items under one plan: reserved as a whole before the first starts, each attempt under a permit,
   * settled by what the worker tells. Await it for the report, or walk through the results as they come.
   * @throws RangeError where `concurrency` is no whole number from 1 on.
   */
  fanOut<T, R>(items: Iterable<T>, worker: Worker<T, R>, options: FanOutOptions): FanOut<T, R> {
    const parts = { api: this, closer: this.#closer };
    const all = [...items];
    const { concurrency = 1 } = options;
    if (!(Number.isSafeInteger(concurrency) && concurrency >= 1))
      throw new RangeError(`concurrency must be a whole number from 1 on, not ${concurrency}`);
    let stop: (reason: unknown) => void = () => undefined;
    const run = (onResult: ConstructorParameters<typeof Run<T, R>>[4]) => {
      const started = new Run(parts, all, worker, options, onResult);
      stop = (reason) => started.stop(reason);
      return started.report();
    };
    return new FanOut(run, (reason) => stop(reason));
  }

  /** Ends a reservation by what is left to say of it, such as `NotSettled.closing`. The same again has the same effect. */
  close(closing: Closing): Promise<ClosedAs> {
    return this.#closer.close(closing);
  }
}
