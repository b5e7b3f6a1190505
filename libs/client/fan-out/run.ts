import type { ReservationView } from "../api/types.js";
import { NotSettled, type ClosedAs } from "../closing/closing.js";
import type { OpenFinish } from "../closing/facts.js";
import { Denied } from "../errors/errors.js";
import { linked, sleep, type Linked } from "../http/signals.js";
import { reserveOrLeave } from "../reservation/reserve.js";
import { extend, GRACE_MS, TTL_MS, type Parts } from "../reservation/with-reservation.js";
import { keepAlive } from "../work/keep-alive.js";
import { nothingOf } from "../work/spending.js";
import { Admission, type Admitted, type Later } from "./admission.js";
import { runAttempt, type AttemptEnd } from "./attempt.js";
import { Book } from "./book.js";
import { endRunJob, runJob, type RunJob } from "./job.js";
import { Tasks } from "./tasks.js";
import type { FanOutOptions, FanOutReport, ItemResult, Worker } from "./types.js";

const CONCURRENCY = 10;
/** First bound of the jittered wait before a retry; each further attempt doubles it. */
const RETRY_BASE_MS = 200;
const RETRY_MOST_MS = 8_000;

/** One fan-out from its job to its settlement. */
export class Run<T, R> {
  private readonly owner;
  private readonly book: Book<T, R>;
  private readonly tasks: Tasks;
  private readonly attempts: number;
  /** Ends of attempts that the settlement has to tell. */
  private readonly open: OpenFinish[] = [];
  /** What the waits of the lanes hear. */
  private waits: Linked;
  /** Until when, by `performance.now()`, the service lets nothing of this run through, and what it said. */
  private pause: { readonly until: number; readonly error: unknown } = { until: 0, error: undefined };
  private started = false;
  private job: RunJob | undefined;
  private reservationId: string | undefined;
  private closed: ClosedAs | undefined;
  private notSettled: NotSettled | undefined;
  private denial: Denied | undefined;
  /** What a callback threw. */
  private thrown: { readonly error: unknown } | undefined;

  constructor(
    private readonly parts: Parts,
    private readonly items: readonly T[],
    private readonly worker: Worker<T, R>,
    private readonly options: FanOutOptions,
    onResult: (result: ItemResult<T, R>) => void,
  ) {
    this.owner = linked(options.signal);
    this.waits = linked(this.owner.signal);
    this.attempts = options.attempts ?? 1;
    this.tasks = new Tasks(items.length);
    this.book = new Book(items, (result, progress) => {
      onResult(result);
      void this.guarded(() => options.onProgress?.(progress), undefined)?.catch((error: unknown) => this.threw(error));
    });
  }

  stop(reason: unknown): void {
    this.owner.abort(reason);
  }

  async report(): Promise<FanOutReport<T, R>> {
    try {
      if (this.items.length > 0) await this.jobAndAll();
    } catch (error) {
      if (!this.owner.signal.aborted) throw error;
    } finally {
      this.owner.unlink();
    }
    this.endRest();
    if (this.thrown) throw this.thrown.error;
    const { book, reservationId, closed, notSettled, denial } = this;
    const { counts, cost } = book;
    return { results: book.all(), counts, cost, jobId: this.job?.id, reservationId, closed, notSettled, denial };
  }

  private async jobAndAll(): Promise<void> {
    const { signal } = this.owner;
    this.job = await runJob(this.parts.api, this.options, signal);
    try {
      const reservation = await this.reserve(this.job.id);
      this.reservationId = reservation.id;
      await this.workAndSettle(this.job.id, reservation);
    } catch (error) {
      if (!(error instanceof Denied)) throw error;
      this.denial = error;
      this.book.deny(this.tasks.drain(), error);
    } finally {
      await endRunJob(this.parts.api, this.job, signal.aborted);
    }
  }

  private reserve(jobId: string): Promise<ReservationView> {
    const { attemptCost, admit = "all", ttlMs = TTL_MS, service, idempotencyKey: key } = this.options;
    const plan = { children: this.items.length, attempts: this.attempts, attemptCost: { ...attemptCost } };
    const ask = { plan, admit, ttlMs, ...(service !== undefined && { service }) };
    const idempotencyKey = key === undefined ? undefined : `${key}:plan`;
    return reserveOrLeave(this.parts, jobId, ask, { signal: this.owner.signal, idempotencyKey });
  }

  private async workAndSettle(jobId: string, { id, plan }: ReservationView): Promise<void> {
    const { ttlMs = TTL_MS, concurrency = CONCURRENCY, attemptCost } = this.options;
    const admitted = plan?.admittedChildren ?? this.items.length;
    this.book.deny(this.tasks.cut(admitted), undefined);
    const alive = keepAlive(
      ttlMs,
      (stop) => extend(this.parts.api, id, ttlMs, stop),
      (refusal) => this.stop(refusal),
    );
    const admission = new Admission(this.parts.api, id, this.options);
    const lanes = Array.from({ length: Math.min(concurrency, admitted) }, () => this.lane(jobId, id, admission));
    await Promise.all(lanes).finally(() => alive.stop());
    this.endRest();
    const actual = this.started ? nothingOf(attemptCost) : null;
    try {
      this.closed = await this.parts.closer.close({ reservationId: id, finishes: this.open, actual });
    } catch (error) {
      if (!(error instanceof NotSettled)) throw error;
      this.notSettled = error;
    }
  }

  /** Takes one item after the other until there is none. */
  private async lane(jobId: string, reservationId: string, admission: Admission): Promise<void> {
    const { signal } = this.owner;
    while (!signal.aborted) {
      const turn = this.tasks.take(performance.now());
      if (turn === null) return;
      if ("waitMs" in turn) await sleep(turn.waitMs, this.waits.signal).catch(() => undefined);
      else await this.serve(turn.index, { jobId, reservationId }, admission);
    }
  }

  private async serve(
    index: number,
    ids: { readonly jobId: string; readonly reservationId: string },
    admission: Admission,
  ): Promise<void> {
    const { signal } = this.owner;
    const answer = await admission.ask(index + 1, signal);
    if (answer.status === "later") return this.later(index, answer, admission);
    if (answer.status !== "granted") return this.notStarted(index, answer);
    const { permit } = answer;
    this.started = true;
    this.book.running += 1;
    const work = (meters: Parameters<Parameters<typeof runAttempt<R>>[2]>[0]) =>
      this.worker(this.items[index]!, { ...ids, index, attempt: permit.attempt, ...meters });
    const { attemptCost: planned, attemptTimeoutMs: timeoutMs, graceMs = GRACE_MS } = this.options;
    const end = await runAttempt(this.parts.api, permit, work, { planned, signal, timeoutMs, graceMs });
    this.book.running -= 1;
    admission.ended();
    if (end.open) this.open.push(end.open);
    this.judge(index, permit.attempt, end);
    this.shedWhatWaitsTooLong(admission);
  }

  private judge(index: number, attempt: number, { ended, outcome, spent }: AttemptEnd<R>): void {
    this.book.ran(index, spent, ended.status === "returned" ? undefined : ended.error);
    if (ended.status === "returned") return this.book.end(index, { status: "done", value: ended.value });
    const { error } = ended;
    if (outcome === "cancelled") return this.book.end(index, { status: "cancelled", error });
    const { retry = () => outcome !== "rejected" } = this.options;
    if (attempt >= this.attempts || !this.guarded(() => retry(error, attempt), false))
      return this.book.end(index, { status: "failed", error });
    const bound = Math.min(RETRY_MOST_MS, RETRY_BASE_MS * 2 ** (attempt - 1));
    this.tasks.delay(index, performance.now() + Math.random() * bound);
  }

  private async later(index: number, { waitMs, holds, error }: Later, admission: Admission): Promise<void> {
    const due = performance.now() + waitMs;
    if (holds === "all") this.tasks.pause(due);
    if (holds === "all" && due > this.pause.until) this.pause = { until: due, error };
    if (holds === "place") await admission.placeFreed(waitMs, this.waits.signal);
    this.tasks.delay(index, holds === "place" ? performance.now() : due);
  }

  /** A wait that was in order while something ran may be longer than the patience once nothing does. */
  private shedWhatWaitsTooLong(admission: Admission): void {
    const { until, error } = this.pause;
    if (this.owner.signal.aborted || until - performance.now() <= admission.patienceLeftMs()) return;
    for (const index of this.tasks.drain()) this.book.end(index, { status: "shed", error });
    this.waits.abort(error);
    this.waits.unlink();
    this.waits = linked(this.owner.signal);
  }

  private notStarted(index: number, answer: Exclude<Admitted, Later | { status: "granted" }>): void {
    switch (answer.status) {
      case "over":
        this.stop(answer.error);
        return this.book.end(index, { status: "cancelled", error: answer.error });
      case "never":
        for (const other of this.tasks.drain()) this.book.end(other, { status: "failed", error: answer.error });
        return this.book.end(index, { status: "failed", error: answer.error });
      case "exhausted":
        return this.book.end(index, { status: "failed", error: this.book.errorOf(index, answer.error) });
      case "shed":
        return this.book.end(index, { status: "shed", error: answer.error });
    }
  }

  /** What nobody will start any more. */
  private endRest(): void {
    const { reason } = this.owner.signal as { reason: unknown };
    for (const index of this.tasks.drain()) this.book.end(index, { status: "cancelled", error: reason });
  }

  /** A callback that throws stops the run, once what runs is settled. */
  private guarded<V>(callback: () => V, otherwise: V): V {
    try {
      return callback();
    } catch (error) {
      this.threw(error);
      return otherwise;
    }
  }

  private threw(error: unknown): void {
    this.thrown ??= { error };
    this.stop(error);
  }
}
