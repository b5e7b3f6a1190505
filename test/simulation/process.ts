import { Ledger, LedgerUnavailable, ShuttingDown, type Command, type LedgerLog, type Outcome } from "#libs/ledger";
import type { Runtime } from "../../libs/ledger/protocol/runtime.js";
import { Expire } from "../../apps/reconciler/tasks/expire.js";
import type { SimPostgres } from "./postgres.js";
import type { Random } from "../support/random.js";
import { SimRecord } from "./record-store.js";
import { SimCopies, type SimRedis } from "./redis.js";
import { actor, type Actor, type Scheduler } from "./scheduler.js";
import { Unreachable, Wire } from "./wire.js";

export const COMMIT_TIMEOUT_MS = 900;
export const REDIS_TIMEOUT_MS = 25;
export const SWEEP_MS = 1_000;

export interface Surroundings {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly postgres: SimPostgres;
  readonly log: LedgerLog;
  readonly tailMs: number;
}

export type Answer = Outcome | "unavailable" | "shutting down" | Error;

/** A process with a ledger: the project's own, over simulated stores, time and event loop. Lives through many starts. */
export class SimProcess {
  readonly toPostgres: Wire;
  readonly toRedis: Wire;
  actor: Actor;
  protected ledger!: Ledger;
  protected record!: SimRecord;

  constructor(
    readonly name: string,
    protected readonly around: Surroundings,
    public redis: SimRedis,
  ) {
    this.toPostgres = new Wire(around.scheduler, around.random, around.tailMs);
    this.toRedis = new Wire(around.scheduler, around.random, around.tailMs);
    this.actor = actor(name);
    this.start();
  }

  start(): void {
    const { postgres, log } = this.around;
    this.actor = actor(this.name);
    this.record = new SimRecord(postgres, this.toPostgres, this.actor, COMMIT_TIMEOUT_MS);
    this.ledger = new Ledger({
      record: this.record,
      copies: new SimCopies(() => this.redis, this.toRedis, this.actor, REDIS_TIMEOUT_MS),
      runtime: this.runtime(this.actor),
      log,
      commitTimeoutMs: COMMIT_TIMEOUT_MS,
    });
  }

  /** SIGKILL. What it had sent still arrives; whether the record learns that it is gone is another matter. */
  crash(): void {
    this.actor.alive = false;
    if (this.around.random.chance(0.8)) this.record.hangUp();
  }

  /** SIGTERM: finishes what it took, and ends. */
  async stop(): Promise<void> {
    const stopping = this.actor;
    await this.ledger.close();
    stopping.alive = false;
  }

  async handle(command: Command): Promise<Answer> {
    try {
      return await (command.type === "reserve" ? this.ledger.reserve(command) : this.ledger.execute(command));
    } catch (error) {
      if (error instanceof LedgerUnavailable) return "unavailable";
      if (error instanceof ShuttingDown) return "shutting down";
      return error as Error;
    }
  }

  /** Copies that the audit finds wrong: none, ever, since they are only ever older. */
  async wrongCopies(tenantId: string): Promise<number> {
    try {
      return (await this.ledger.auditCopies(tenantId)).repaired.length;
    } catch (error) {
      // Also an undisturbed Redis is slow now and then.
      if (!(error instanceof Unreachable)) throw error;
      return this.wrongCopies(tenantId);
    }
  }

  private runtime(own: Actor): Runtime {
    const { scheduler } = this.around;
    return {
      now: () => scheduler.now,
      wall: () => scheduler.now,
      soon: (run) => scheduler.after(0.01, run, own),
      every: (ms, run) => {
        let over = false;
        const again = (): void => {
          if (over) return;
          run();
          scheduler.after(ms, again, own);
        };
        scheduler.after(ms, again, own);
        return () => (over = true);
      },
    };
  }
}

/** The process that sweeps: the reconciler's own task, at its interval, now and then late or twice at once. */
export class SimReconciler extends SimProcess {
  /** It fails to run for now, as when its queue is dead and its timers late. */
  skips = false;
  closed = 0;

  override start(): void {
    super.start();
    const { actor: own } = this;
    const again = (): void => {
      void this.sweep();
      this.around.scheduler.after(SWEEP_MS, again, own);
    };
    this.around.scheduler.after(SWEEP_MS, again, own);
  }

  async sweep(): Promise<void> {
    if (this.skips) return;
    const { record, ledger } = this;
    const task = new Expire((after) => record.readOverdue(after), ledger, this.around.log, 3_600_000);
    const tally = { handled: 0, failed: 0, detail: null };
    // The record may be away; the next sweep looks again.
    await task.run(tally, new AbortController().signal).catch(() => undefined);
    this.closed += tally.handled;
  }
}
