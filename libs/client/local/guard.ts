import {
  decideTurn,
  finishAt,
  head,
  leave,
  newGate,
  newQueue,
  phaseOf,
  placesAt,
  reset,
  RETRY_DEFAULTS,
  SHED_MS,
  stayAlive,
  tokensIn,
  trip,
  waitingIn,
  type BreakerPhase,
  type Grant,
  type Limits,
  type Outcome,
  type QueueLimits,
  type Refusal,
  type Waiter,
} from "#libs/flow/machines";
import { onAbort } from "../http/signals.js";
import { systemClock, type Clock } from "./clock.js";
import { isAmount } from "./held.js";
import { outcomeOf } from "./outcome.js";
import { Shed, type ShedCode } from "./shed.js";

/** What is left out does not bind; 0 does. Without a queue nobody waits. */
export interface GuardLimits extends Limits {
  readonly queue?: QueueLimits;
}

export interface AcquireOptions {
  /** Tokens of the rate. Default 1. */
  readonly cost?: number;
  /** Lines take turns; within a line the first to come is the first to go. Default: one line. */
  readonly line?: string;
  /** Longest wait, milliseconds; the queue's `maxWaitMs` bounds it and is the default. 0: not at all. */
  readonly waitMs?: number;
  /** Aborting leaves the queue without a trace; the call rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

export interface Permit {
  /** Frees the place, and tells breaker and adaptive limit how it went. Only the first call counts: others return false. */
  finish(outcome?: Outcome): boolean;
}

/** In one process nobody dies and leaves its place behind: a place is held until it is given back. */
const LEASE_MS = Number.POSITIVE_INFINITY;
const PROCESS = "this";

/**
 * Leave to start one piece of work now, for one process: rate, places (fixed or adaptive), breaker and a bounded queue,
 * decided in one step by the same machines as those of a Holdfast service. A refusal takes nothing.
 */
export class Guard {
  private readonly gate = newGate();
  private readonly queue = newQueue();
  private readonly seats = new Map<string, () => void>();
  private last = 0;

  /** @throws RangeError for a limit that is no number ≥ 0 */
  constructor(
    private readonly limits: GuardLimits,
    private readonly clock: Clock = systemClock,
  ) {
    checkNumbers(limits);
  }

  /** Waits for its turn. @throws Shed */
  async acquire({ cost = 1, line = "", waitMs, signal }: AcquireOptions = {}): Promise<Permit> {
    signal?.throwIfAborted();
    if (!isAmount(cost)) throw new RangeError(`a cost must be a whole number ≥ 0, not ${String(cost)}`);
    const waiter = { id: String(++this.last), tenant: line, process: PROCESS };
    const until = this.clock.now() + this.patience(waitMs);
    for (;;) {
      const left = until - this.clock.now();
      const decision = this.decide({ ...waiter, cost }, left > 0 ? waiter : null);
      if (decision.status === "granted") return this.permit(waiter.id, decision);
      if (decision.status === "refused") throw shed(decision);
      await this.sit(waiter.id, Math.min(left, decision.retryAfterMs ?? left), signal);
      // Its time is up: it asks once more, and is told how things stand.
      if (signal?.aborted || until <= this.clock.now()) this.leave(waiter);
      signal?.throwIfAborted();
    }
  }

  /**
   * Runs the work with a permit. What it throws is passed on, and `outcomeOf` it told to breaker and adaptive limit. The
   * place is held until the work has ended: give it the signal too.
   * @throws Shed
   */
  async run<T>(work: () => Promise<T> | T, options: AcquireOptions = {}): Promise<T> {
    const permit = await this.acquire(options);
    try {
      options.signal?.throwIfAborted();
      const result = await work();
      permit.finish("succeeded");
      return result;
    } catch (error) {
      permit.finish(outcomeOf(error, options.signal));
      throw error;
    }
  }

  /** Opens the breaker by hand, for one reset time. */
  trip(): void {
    if (this.limits.breaker) trip(this.gate.breaker, this.limits.breaker, this.clock.now());
  }

  /** Closes the breaker by hand. */
  reset(): void {
    reset(this.gate.breaker, this.clock.now());
  }

  get inFlight(): number {
    return this.gate.leases.liveAt(this.clock.now());
  }

  get waiting(): number {
    return waitingIn(this.queue);
  }

  /** Places that there are now; Infinity where nothing bounds them. */
  get places(): number {
    return placesAt(this.gate, this.limits);
  }

  /** Whole tokens that are there now; Infinity without a rate. */
  get tokens(): number {
    const { rate } = this.limits;
    if (!rate) return Number.POSITIVE_INFINITY;
    return this.gate.bucket ? tokensIn(this.gate.bucket, rate, this.clock.now()) : rate.burst;
  }

  get phase(): BreakerPhase {
    return phaseOf(this.gate.breaker, this.clock.now());
  }

  private patience(waitMs: number | undefined): number {
    const most = this.limits.queue?.maxWaitMs ?? 0;
    return waitMs === undefined ? most : Math.min(waitMs, most);
  }

  private decide(ask: { id: string; tenant: string; cost: number }, waiter: Waiter | null) {
    const now = this.clock.now();
    const max = this.limits.queue?.max ?? 0;
    stayAlive(this.queue, PROCESS, now);
    const state = {
      attempts: new Map(),
      retries: new Map(),
      gates: [{ scope: "service" as const, gate: this.gate, limits: this.limits }],
      queue: this.queue,
      places: { max, tenantMax: max },
    };
    const once = { child: ask.id, planned: 1, known: 0, retry: RETRY_DEFAULTS, leaseMs: LEASE_MS };
    const { decision, wake } = decideTurn(state, { ...ask, ...once }, waiter, now);
    this.wake(wake);
    return decision;
  }

  private permit(id: string, { grantedAt, passes }: Grant): Permit {
    return {
      finish: (outcome = "succeeded") => {
        const now = this.clock.now();
        const ended = finishAt(this.gate, this.limits, { id, grantedAt, ...passes[0]!, outcome }, now);
        this.wakeHead(now);
        return ended;
      },
    };
  }

  /** Returns when woken, after `ms`, or when the signal aborts: whichever comes first. */
  private async sit(id: string, ms: number, signal: AbortSignal | undefined): Promise<void> {
    let forget: (() => void) | undefined;
    await new Promise<void>((resolve) => {
      const unset = this.clock.after(ms, resolve);
      const stand = (): void => {
        unset();
        resolve();
      };
      this.seats.set(id, stand);
      forget = onAbort(signal, stand);
    });
    this.seats.delete(id);
    forget?.();
  }

  private leave(waiter: Waiter): void {
    leave(this.queue, waiter);
    this.wakeHead(this.clock.now());
  }

  private wakeHead(now: number): void {
    stayAlive(this.queue, PROCESS, now);
    this.wake(head(this.queue, now));
  }

  private wake(waiter: Waiter | null): void {
    if (waiter) this.seats.get(waiter.id)?.();
  }
}

function checkNumbers(limits: object): void {
  for (const [name, limit] of Object.entries(limits)) {
    if (typeof limit === "object" && limit !== null) checkNumbers(limit);
    else if (!(typeof limit === "number" && limit >= 0)) throw new RangeError(`${name} must be a number ≥ 0`);
  }
}

function shed({ reason, retryAfterMs }: Refusal): Shed {
  // For a place nobody can say how long; the caller is told what one is told that finds others waiting.
  return new Shed(reason as ShedCode, retryAfterMs === Number.POSITIVE_INFINITY ? SHED_MS : retryAfterMs);
}
