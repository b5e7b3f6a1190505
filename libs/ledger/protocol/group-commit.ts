import type { Command, Outcome } from "../domain/index.js";
import { runBatch, type BatchHooks, type BatchResult } from "./batch.js";
import type { Directory } from "./directory.js";
import { LedgerUnavailable, ShuttingDown } from "./errors.js";
import type { LedgerMeter } from "./meter.js";
import type { LedgerLog, RecordStore } from "./ports.js";

export interface GroupCommitOptions {
  /** Longest wait of a command from submission to its answer, milliseconds. */
  readonly timeoutMs: number;
  /** Most commands in one transaction. */
  readonly mostInBatch: number;
  readonly mostBatchesInFlight: number;
  /** Most commands that wait; beyond it they are refused at once. */
  readonly mostQueued: number;
}

export const GROUP_COMMIT_DEFAULTS = { mostInBatch: 256, mostBatchesInFlight: 2, mostQueued: 10_000 };

interface Pending {
  readonly command: Command;
  readonly deadline: number;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Concurrent commands share transactions: while batches are in flight, what arrives waits and goes together. One bad
 * command never fails its neighbours: a batch that the record refuses is halved until the bad one stands alone.
 */
export class GroupCommit {
  private queue: Pending[] = [];
  private inFlight = 0;
  private scheduled = false;
  /** Tenants of the batches in flight. */
  private readonly locked = new Set<string>();
  private closing = false;
  private idle: (() => void) | undefined;
  private readonly stopReaping: () => void;
  private readonly open = new Set<Pending>();

  constructor(
    private readonly record: RecordStore,
    private readonly directory: Directory,
    private readonly options: GroupCommitOptions,
    private readonly hooks: BatchHooks & {
      /** Called once a batch is committed, before those are answered that may give room back. Never fails. */
      committed(result: BatchResult): Promise<void>;
      log: LedgerLog;
      meter: LedgerMeter;
    },
  ) {
    this.stopReaping = hooks.runtime.every(50, () => this.reap());
  }

  /**
   * @throws LedgerUnavailable: not committed in time, the outcome may be unknown. ShuttingDown: nothing was taken.
   */
  submit(command: Command): Promise<Outcome> {
    if (this.closing) return Promise.reject(new ShuttingDown());
    if (this.queue.length >= this.options.mostQueued) {
      return Promise.reject(new LedgerUnavailable("too many commands wait for it"));
    }
    return new Promise((resolve, reject) => {
      const pending = { command, deadline: this.hooks.runtime.now() + this.options.timeoutMs, resolve, reject };
      this.queue.push(pending);
      this.open.add(pending);
      this.schedule();
    });
  }

  /** Commands that were taken and are not answered yet. */
  get pending(): number {
    return this.open.size;
  }

  /** Refuses new commands and waits for those that were taken. */
  async close(): Promise<void> {
    this.closing = true;
    if (this.open.size > 0) await new Promise<void>((resolve) => (this.idle = resolve));
    this.stopReaping();
  }

  /** Flushes at the end of this turn of the event loop, so that requests that arrived together go together. */
  private schedule(): void {
    if (this.scheduled || this.inFlight >= this.options.mostBatchesInFlight) return;
    this.scheduled = true;
    this.hooks.runtime.soon(() => {
      this.scheduled = false;
      this.flush();
    });
  }

  private flush(): void {
    this.queue = this.queue.filter((pending) => this.open.has(pending));
    while (this.inFlight < this.options.mostBatchesInFlight) {
      const batch = this.take();
      if (batch.length === 0) return;
      this.inFlight += 1;
      const tenants = new Set(batch.map(({ command }) => command.tenantId));
      for (const tenantId of tenants) this.locked.add(tenantId);
      void this.run(batch).finally(() => {
        this.inFlight -= 1;
        for (const tenantId of tenants) this.locked.delete(tenantId);
        if (this.queue.length > 0) this.schedule();
      });
    }
  }

  /** Leaves out tenants that a batch in flight has locked: a second one would only wait for it, and take fewer along. */
  private take(): Pending[] {
    const batch: Pending[] = [];
    this.queue = this.queue.filter((pending) => {
      if (batch.length === this.options.mostInBatch || this.locked.has(pending.command.tenantId)) return true;
      batch.push(pending);
      return false;
    });
    return batch;
  }

  /** Answers all of them, whatever happens. */
  private async run(batch: readonly Pending[], tries = 2): Promise<void> {
    const live = batch.filter((pending) => this.open.has(pending));
    if (live.length === 0) return;
    try {
      const commands = live.map(({ command }) => command);
      const isWanted = (i: number) => this.open.has(live[i]!);
      const begun = this.hooks.runtime.now();
      const result = await runBatch(this.record, this.directory, commands, this.hooks, isWanted);
      this.hooks.meter.batch(commands.length, this.hooks.runtime.now() - begun);
      // Not awaited: a slow Redis must not keep the next batch waiting.
      void this.answer(live, result);
    } catch (error) {
      await this.recover(live, error, tries);
    }
  }

  private async answer(batch: readonly Pending[], result: BatchResult): Promise<void> {
    const answerThose = (which: (pending: Pending) => boolean): void => {
      batch.forEach((pending, i) => {
        const outcome = result.outcomes[i];
        if (outcome && which(pending)) this.finish(pending, () => pending.resolve(outcome));
      });
    };
    answerThose(({ command }) => !freesRoom(command));
    await this.hooks.committed(result);
    answerThose(({ command }) => freesRoom(command));
  }

  private async recover(batch: readonly Pending[], error: unknown, tries: number): Promise<void> {
    if (this.record.isUnavailable(error)) {
      // Unknown, not no: the same commands again find what the first try did.
      if (tries > 1) return this.run(batch, tries - 1);
      this.hooks.log.warn({ err: error, commands: batch.length }, "the record is unavailable");
      return this.fail(batch, new LedgerUnavailable("it cannot be reached", { cause: error }));
    }
    if (batch.length === 1) {
      const { command } = batch[0]!;
      this.hooks.log.error({ err: error, command: command.type, tenantId: command.tenantId }, "a command failed");
      return this.fail(batch, error instanceof Error ? error : new Error(String(error)));
    }
    const half = Math.ceil(batch.length / 2);
    await this.run(batch.slice(0, half));
    await this.run(batch.slice(half));
  }

  private fail(batch: readonly Pending[], error: Error): void {
    for (const pending of batch) this.finish(pending, () => pending.reject(error));
  }

  private finish(pending: Pending, answer: () => void): void {
    if (this.open.delete(pending)) answer();
    if (this.open.size === 0) this.idle?.();
  }

  /** Nobody waits longer than the time-out, whatever the record does. */
  private reap(): void {
    const now = this.hooks.runtime.now();
    for (const pending of this.open) {
      if (pending.deadline > now) return;
      this.finish(pending, () => pending.reject(new LedgerUnavailable("it did not answer in time")));
    }
  }
}

/** A command that may give room back: whoever got its answer must be able to use the room at any replica. */
function freesRoom({ type }: Command): boolean {
  return type !== "reserve" && type !== "createJob";
}
