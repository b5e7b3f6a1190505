import type { Amounts, CreateJobBody, PermitView } from "../api/types.js";
import { NotSettled } from "../closing/closing.js";
import type { OpenFinish } from "../closing/facts.js";
import { ConnectionFailed, ProblemError, UnexpectedAnswer } from "../errors/errors.js";
import { runAttempt } from "../fan-out/attempt.js";
import type { AttemptContext } from "../fan-out/types.js";
import type { Holdfast } from "../holdfast.js";
import { mayHelp, type Failed } from "../http/sender.js";
import { nothingOf } from "../work/spending.js";

/** What is used of a job of BullMQ. */
export interface QueueJob {
  readonly id?: string | undefined;
  readonly queueQualifiedName: string;
  readonly timestamp: number;
  /** Attempts that have ended, this one not counted. */
  readonly attemptsMade: number;
  readonly opts: { readonly attempts?: number | undefined };
  moveToDelayed(timestamp: number, token?: string): Promise<unknown>;
}

export type QueueContext = Omit<AttemptContext, "index">;

export interface ProcessorOptions<J> {
  /** Planned cost of one attempt, in every unit that it may use; for one queue job always the same. */
  readonly attemptCost: Amounts | ((job: J) => Amounts);
  /** Fields of the Holdfast job; for one queue job always the same. */
  readonly job?: ((job: J) => CreateJobBody) | undefined;
  /** The service that the work calls: its rate, places and breaker bind. */
  readonly service?: string | undefined;
  /** Tokens of the service's rate that one attempt takes; default 1. */
  readonly rateCost?: number | undefined;
  /** How long the plan outlives its last attempt, milliseconds; default a day. Longer than any backoff of the queue. */
  readonly ttlMs?: number | undefined;
  /** Longest run of one attempt, milliseconds; without it, none. */
  readonly attemptTimeoutMs?: number | undefined;
  /** How long work that was told to stop is waited for, milliseconds; default 5 000. */
  readonly graceMs?: number | undefined;
  /** Told what could not be booked. Without it, it is thrown, and the queue counts a failed attempt. */
  readonly onNotSettled?: ((error: NotSettled) => void) | undefined;
}

const DAY_MS = 86_400_000;
const GRACE_MS = 5_000;
/** A queue job that could not start, and was not told when it may, asks again after so long. */
const LATER_MS = 5_000;

/**
 * A processor for a BullMQ `Worker` that binds all attempts of a queue job to one Holdfast job and one plan of
 * `opts.attempts` × `attemptCost`, in whichever process they run; a job that stalled and runs again takes a further attempt of
 * the plan. It is settled and closed when the queue job has completed or failed for good.
 *
 * Where Holdfast has no capacity now, the queue job is delayed and no attempt of it is counted. What can never start, such as
 * a denied plan, fails without a retry: an error named `UnrecoverableError`, whose `cause` is the refusal.
 */
export function bookedProcessor<J extends QueueJob, R>(
  holdfast: Holdfast,
  work: (job: J, context: QueueContext) => Promise<R> | R,
  options: ProcessorOptions<J>,
): (job: J, token?: string, signal?: AbortSignal) => Promise<R> {
  const untold = new Map<string, OpenFinish[]>();
  // BullMQ hands a signal to functions of three parameters alone.
  return async (job: J, token: string | undefined, signal: AbortSignal | undefined) => {
    const attempts = new QueueAttempts(holdfast, job, options, untold);
    const started = await attempts.start(signal).catch((error: unknown) => attempts.notStarted(error, token));
    return attempts.run(started, work, signal ?? new AbortController().signal);
  };
}

interface Started {
  readonly jobId: string;
  readonly reservationId: string;
  readonly permit: PermitView;
}

/** The attempts of one queue job. */
class QueueAttempts<J extends QueueJob> {
  private readonly planned: Amounts;
  private readonly attempts: number;
  private jobId: string | undefined;
  private reservationId: string | undefined;

  constructor(
    private readonly holdfast: Holdfast,
    private readonly job: J,
    private readonly options: ProcessorOptions<J>,
    /** Ends of earlier attempts that the service did not acknowledge, by the key of the queue job: told again at its end. */
    private readonly untold: Map<string, OpenFinish[]>,
  ) {
    const { attemptCost } = options;
    this.planned = typeof attemptCost === "function" ? attemptCost(job) : attemptCost;
    this.attempts = job.opts.attempts || 1;
  }

  /** Every attempt asks under the same keys, so that all find the same job and the same plan. */
  async start(signal: AbortSignal | undefined): Promise<Started> {
    const { service, rateCost, ttlMs = DAY_MS, job: fieldsOf } = this.options;
    const { jobs, reservations } = this.holdfast;
    const key = this.key();
    const { id: jobId } = await jobs.create(fieldsOf?.(this.job), { signal, idempotencyKey: `${key}:job` });
    this.jobId = jobId;
    const plan = { children: 1, attempts: this.attempts, attemptCost: { ...this.planned } };
    const ask = { plan, ttlMs, ...(service !== undefined && { service }) };
    const { id } = await reservations.reserve(jobId, ask, { signal, idempotencyKey: `${key}:plan` });
    this.reservationId = id;
    if (this.job.attemptsMade > 0) await reservations.extend(id, ttlMs, { signal });
    const request = {
      child: 1,
      ...(service !== undefined && { service }),
      ...(rateCost !== undefined && { cost: rateCost }),
    };
    // The queue is what waits.
    const permit = await reservations.permit(id, request, { signal, retries: { tries: 1 } });
    return { jobId, reservationId: id, permit };
  }

  async run<R>(
    { jobId, reservationId, permit }: Started,
    work: (job: J, context: QueueContext) => Promise<R> | R,
    signal: AbortSignal,
  ): Promise<R> {
    const { attemptTimeoutMs: timeoutMs, graceMs = GRACE_MS } = this.options;
    const { ended, open } = await runAttempt(
      this.holdfast,
      permit,
      (meters) => work(this.job, { jobId, reservationId, attempt: permit.attempt, ...meters }),
      { planned: this.planned, signal, timeoutMs, graceMs },
    );
    const isLast = ended.status === "returned" || isUnrecoverable(ended.error) || this.isLast;
    if (open) this.untold.set(this.key(), [...(this.untold.get(this.key()) ?? []), open]);
    if (isLast) await this.close();
    if (ended.status === "returned") return ended.value;
    throw ended.error;
  }

  /** Nothing was started, so the queue counts no attempt; or nothing ever will be. */
  async notStarted(error: unknown, token: string | undefined): Promise<never> {
    if (isFailed(error) && mayHelp(error)) {
      const waitMs = (!(error instanceof ConnectionFailed) && error.retryAfterMs) || LATER_MS;
      await this.job.moveToDelayed(Date.now() + waitMs, token);
      throw named("DelayedError", "there is no capacity now", error);
    }
    if (!(error instanceof ProblemError)) throw error;
    await this.close();
    throw named("UnrecoverableError", error.message, error);
  }

  private async close(): Promise<void> {
    const { holdfast, reservationId, jobId } = this;
    const finishes = this.untold.get(this.key()) ?? [];
    this.untold.delete(this.key());
    try {
      if (reservationId !== undefined) {
        await holdfast.close({ reservationId, finishes, actual: nothingOf(this.planned) });
      }
    } catch (error) {
      if (!(error instanceof NotSettled) || !this.options.onNotSettled) throw error;
      this.options.onNotSettled(error);
    }
    // One that stays open holds nothing.
    if (jobId !== undefined) await holdfast.jobs.close(jobId).catch(() => undefined);
  }

  private get isLast(): boolean {
    return (this.job.attemptsMade + 1) % this.attempts === 0;
  }

  /** A failed job that is retried by hand begins anew. Its id may be used again once it is removed, but not its time too. */
  private key(): string {
    const { queueQualifiedName, id = "", timestamp, attemptsMade } = this.job;
    const round = Math.floor(attemptsMade / this.attempts);
    return ["queue", queueQualifiedName, id, timestamp, round].map(encodeURIComponent).join(":");
  }
}

function isFailed(error: unknown): error is Failed {
  return [ProblemError, ConnectionFailed, UnexpectedAnswer].some((kind) => error instanceof kind);
}

function isUnrecoverable(error: unknown): boolean {
  return error instanceof Error && error.name === "UnrecoverableError";
}

/** BullMQ knows its own errors also by their names. */
function named(name: string, message: string, cause: unknown): Error {
  return Object.assign(new Error(message, { cause }), { name });
}
