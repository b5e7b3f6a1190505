import type { Api } from "../api/api.js";
import type { PermitView } from "../api/types.js";
import {
  AttemptsExhausted,
  ConcurrencyLimited,
  Conflict,
  ProblemError,
  QueueFull,
  RetryBudgetExhausted,
  StateRefused,
  UnexpectedAnswer,
} from "../errors/errors.js";
import { RETRY_DEFAULTS, waitBeforeRetry } from "../http/backoff.js";
import { linked, sleep } from "../http/signals.js";
import type { FanOutOptions } from "./types.js";

/** Longest wait of one request for a permit, milliseconds. */
const LONG_POLL_MS = 30_000;
const PATIENCE_MS = 120_000;

/** To be asked again after so long. */
export interface Later {
  readonly status: "later";
  readonly waitMs: number;
  readonly error: unknown;
  /** `all`: the other items would be told the same. `place`: until a place is free, which an end may bring sooner. `this`: this item alone. */
  readonly holds: "all" | "place" | "this";
}

export type Admitted =
  | { readonly status: "granted"; readonly permit: PermitView }
  | Later
  /** Nothing was let through for too long. */
  | { readonly status: "shed"; readonly error: unknown }
  /** The plan has no further attempt of this item. */
  | { readonly status: "exhausted"; readonly error: unknown }
  /** The job or the reservation has ended, or the run was aborted. */
  | { readonly status: "over"; readonly error: unknown }
  /** No item of this run will ever be let through. */
  | { readonly status: "never"; readonly error: unknown };

/** Asks for the permits of one run. */
export class Admission {
  private running = 0;
  /** Since when the run has stood still. */
  private stillSince = performance.now();
  private failures = 0;
  /** What fails before then was asked together with what failed already, and is the same failure. */
  private failsAgainAt = 0;
  private readonly waiting: { abort(): void }[] = [];

  constructor(
    private readonly api: Api,
    private readonly reservationId: string,
    private readonly options: Pick<FanOutOptions, "service" | "rateCost" | "patienceMs">,
  ) {}

  async ask(child: number, signal: AbortSignal): Promise<Admitted> {
    const { service, rateCost } = this.options;
    const waitMs = Math.floor(Math.min(LONG_POLL_MS, Math.max(0, this.patienceLeftMs())));
    const ofService =
      service === undefined ? {} : { service, waitMs, ...(rateCost !== undefined && { cost: rateCost }) };
    try {
      // One try, however long it waits: what to do about a refusal is decided over the whole run.
      const call = { signal, retries: { tries: 1, totalMs: Infinity } };
      const permit = await this.api.reservations.permit(this.reservationId, { child, ...ofService }, call);
      this.failures = 0;
      this.running += 1;
      return { status: "granted", permit };
    } catch (error) {
      return signal.aborted ? { status: "over", error: signal.reason } : this.refused(error);
    }
  }

  /** An attempt has ended. */
  ended(): void {
    this.running -= 1;
    this.stillSince = performance.now();
    this.waiting.shift()?.abort();
  }

  /** Waits until an attempt of this run has ended, at most so long. Each end wakes one. */
  async placeFreed(waitMs: number, signal: AbortSignal): Promise<void> {
    const own = linked(signal);
    const waiter = { abort: () => own.abort("ended") };
    this.waiting.push(waiter);
    await sleep(waitMs, own.signal).catch(() => undefined);
    own.unlink();
    const at = this.waiting.indexOf(waiter);
    if (at !== -1) this.waiting.splice(at, 1);
  }

  private refused(error: unknown): Admitted {
    if (error instanceof AttemptsExhausted) return { status: "exhausted", error };
    if (error instanceof StateRefused && !(error instanceof Conflict)) return { status: "over", error };
    if (error instanceof ProblemError && !error.retryable) return { status: "never", error };
    // Holdfast itself says when to come back; what stands in for it mostly does not.
    const now = performance.now();
    const isFailure = !(error instanceof ProblemError);
    if (isFailure && now >= this.failsAgainAt) this.failures += 1;
    const asked = error instanceof ProblemError || error instanceof UnexpectedAnswer ? error.retryAfterMs : null;
    const waitMs = waitBeforeRetry(Math.max(1, this.failures), asked, RETRY_DEFAULTS, Math.random());
    if (isFailure) this.failsAgainAt = Math.max(this.failsAgainAt, now + waitMs);
    if (waitMs > this.patienceLeftMs()) return { status: "shed", error };
    return { status: "later", waitMs, holds: holdsOf(error), error };
  }

  /** While something of this run is at work, the service is not the one that it waits for. */
  patienceLeftMs(): number {
    if (this.running > 0) return Infinity;
    return (this.options.patienceMs ?? PATIENCE_MS) - (performance.now() - this.stillSince);
  }
}

function holdsOf(error: unknown): Later["holds"] {
  if (error instanceof RetryBudgetExhausted) return "this";
  return error instanceof ConcurrencyLimited || error instanceof QueueFull ? "place" : "all";
}
