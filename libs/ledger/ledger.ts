import {
  refused,
  replay,
  denialSentence,
  type Balance,
  type Command,
  type Grounds,
  type KeyRecord,
  type Outcome,
  type Reserve,
} from "./domain/index.js";
import { PostgresRecord } from "./postgres/index.js";
import { Admission } from "./protocol/admission.js";
import { auditCopies, type CopyAudit } from "./protocol/copy-audit.js";
import { Copies } from "./protocol/copies.js";
import { Directory } from "./protocol/directory.js";
import { LedgerUnavailable, ShuttingDown } from "./protocol/errors.js";
import { Gather } from "./protocol/gather.js";
import { GROUP_COMMIT_DEFAULTS, GroupCommit } from "./protocol/group-commit.js";
import type { BatchResult } from "./protocol/batch.js";
import { NO_METER, type LedgerMeter } from "./protocol/meter.js";
import type {
  ChildRow,
  ChildStanding,
  CopyStore,
  LedgerLog,
  RecordStore,
  TenantConfig,
  TenantRow,
} from "./protocol/ports.js";
import { NODE_RUNTIME, type Runtime } from "./protocol/runtime.js";
import { RedisCopies } from "./redis/index.js";

export interface LedgerOptions {
  readonly databaseUrl: string;
  /** null: without Redis, the record decides alone. */
  readonly redisUrl: string | null;
  /** Longest wait for Redis, milliseconds; then the record decides alone. */
  readonly redisTimeoutMs: number;
  /** Longest wait for the record, milliseconds; then LedgerUnavailable. */
  readonly commitTimeoutMs: number;
  readonly log: LedgerLog;
  /** Default: nobody counts. */
  readonly meter?: LedgerMeter;
}

export interface LedgerParts {
  readonly record: RecordStore;
  readonly copies: CopyStore | null;
  readonly runtime: Runtime;
  readonly log: LedgerLog;
  readonly commitTimeoutMs: number;
  readonly meter?: LedgerMeter;
}

/** `isObserved`: it was let through, since the tenant only observes. */
export type DenialListener = (command: Command, grounds: Grounds, isObserved: boolean) => void;

/** The ledger as the applications see it: commands in, outcomes out, correct with any number of processes on one record. */
export class Ledger {
  private readonly directory: Directory;
  private readonly copies: Copies;
  private readonly admission: Admission;
  private readonly commits: GroupCommit;
  private readonly keys: Gather<TenantRow, KeyRecord | null>;
  /** The record's time less this process's monotonic time. */
  private offset: number;
  /** False until a batch has shown the record's time: before that, no copy can be told to be of the current window. */
  private knowsTime = false;
  private closing: Promise<void> | undefined;
  private recordUp = true;
  private readonly meter: LedgerMeter;
  private heard: DenialListener = () => undefined;

  constructor(private readonly parts: LedgerParts) {
    const { record, runtime, log, meter = NO_METER } = parts;
    this.meter = meter;
    this.offset = runtime.wall() - runtime.now();
    const now = () => this.now();
    this.directory = new Directory(record, runtime);
    this.copies = new Copies(parts.copies, runtime, log, meter);
    this.admission = new Admission(record, this.directory, this.copies, runtime, now);
    this.keys = new Gather(runtime, (rows) => record.findKeys(rows));
    this.commits = new GroupCommit(
      record,
      this.directory,
      { ...GROUP_COMMIT_DEFAULTS, timeoutMs: parts.commitTimeoutMs },
      { now, runtime, log, meter, committed: (result) => this.committed(result) },
    );
  }

  static open({ databaseUrl, redisUrl, redisTimeoutMs, commitTimeoutMs, log, ...counted }: LedgerOptions): Ledger {
    const record = new PostgresRecord({
      url: databaseUrl,
      timeoutMs: commitTimeoutMs,
      batches: GROUP_COMMIT_DEFAULTS.mostBatchesInFlight,
      onError: (error) => log.warn({ err: error }, "a connection to the record was lost"),
    });
    const copies = redisUrl === null ? null : new RedisCopies({ url: redisUrl, timeoutMs: redisTimeoutMs, log });
    return new Ledger({ record, copies, runtime: NODE_RUNTIME, log, commitTimeoutMs, ...counted });
  }

  /**
   * Reserves: all of the ask or nothing. Idempotent by its key; a dry run decides and changes nothing.
   * @throws LedgerUnavailable, ShuttingDown
   */
  async reserve(command: Reserve): Promise<Outcome> {
    const denied = this.copies.state === "off" ? null : await this.look(command);
    return denied ?? this.execute(command);
  }

  /**
   * Runs any command in the group commit. Idempotent: by its key where it has one, else by nature.
   * @throws LedgerUnavailable, ShuttingDown
   */
  async execute(command: Command): Promise<Outcome> {
    try {
      return this.tell(command, await this.meter.stage("commit", () => this.commits.submit(command)));
    } catch (error) {
      if (error instanceof LedgerUnavailable) this.recordUp = false;
      this.meter.undecided(command, error);
      throw error;
    }
  }

  /**
   * One listener hears of every denial that this process answers, and of what would have been one, dry runs aside. It is
   * on the way of every answer.
   */
  onDenied(listener: DenialListener): void {
    this.heard = listener;
  }

  /** A tenant and its settings, at most a second old; null where there is none. @throws LedgerUnavailable */
  async tenant(tenantId: string): Promise<TenantConfig | null> {
    return this.guarded(async () => this.directory.tenant(tenantId));
  }

  /**
   * How reservations stand for the next attempt of a child, read now, in order; null where there is none.
   * @throws LedgerUnavailable
   */
  async standings(rows: readonly ChildRow[]): Promise<(ChildStanding | null)[]> {
    return this.guarded(() => this.parts.record.findStandings(rows));
  }

  /** The record's time as this process estimates it, milliseconds since 1970; every batch corrects it. */
  now(): number {
    return Math.round(this.parts.runtime.now() + this.offset);
  }

  status(): { record: "up" | "down"; redis: "used" | "bypassed" | "off" } {
    return { record: this.recordUp ? "up" : "down", redis: this.copies.state };
  }

  /** Commands that were taken and are not answered yet. */
  get pending(): number {
    return this.commits.pending;
  }

  /** Holds a tenant's copies against the record and replaces wrong ones. @throws where either cannot be read. */
  async auditCopies(tenantId: string): Promise<CopyAudit> {
    const { record, copies, runtime } = this.parts;
    return copies ? auditCopies(record, copies, tenantId, runtime) : { checked: 0, repaired: [] };
  }

  /** Refuses new commands, finishes those that were taken, and closes the connections. */
  close(): Promise<void> {
    return (this.closing ??= this.finish());
  }

  private async finish(): Promise<void> {
    await this.commits.close();
    this.parts.copies?.close();
    await this.parts.record.close();
  }

  /** What the copies refuse, told at once; null where the record must decide. */
  private async look(command: Reserve): Promise<Outcome | null> {
    try {
      if (this.closing) throw new ShuttingDown();
      const denied = await this.meter.stage("script", () => this.guarded(() => this.denied(command)));
      return denied && this.tell(command, denied);
    } catch (error) {
      this.meter.undecided(command, error);
      throw error;
    }
  }

  private tell(command: Command, outcome: Outcome): Outcome {
    this.meter.decided(command, outcome);
    const isDone = outcome.type === "done";
    const grounds = isDone ? outcome.observed : outcome.refusal.grounds;
    if (grounds && !("dryRun" in command && command.dryRun)) this.heard(command, grounds, isDone);
    return outcome;
  }

  /** All answers under one key agree: a denial also asks whether the key already has an effect. */
  private async denied(command: Reserve): Promise<Outcome | null> {
    if (!this.knowsTime) return null;
    const grounds = await this.admission.denial(command);
    if (!grounds) return null;
    const { denial } = grounds;
    const { tenantId, key } = command;
    const record = key && (await this.keys.find({ tenantId, id: key.key }));
    return record ? replay(record, key.fingerprint) : refused(denial.code, denialSentence(denial), { denial, grounds });
  }

  private async committed({ now, balances, entries, readAt }: BatchResult): Promise<void> {
    this.offset = now - readAt;
    this.knowsTime = true;
    this.recordUp = true;
    for (const [tenantId, moved] of entries) this.meter.moved(tenantId, moved);
    await Promise.all(
      [...balances].map(([tenantId, rows]: [string, readonly Balance[]]) =>
        this.copies.remember(tenantId, rows, readAt, "commit"),
      ),
    );
  }

  /** The record's own errors as the one that says so. */
  private async guarded<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (!this.parts.record.isUnavailable(error)) throw error;
      this.recordUp = false;
      throw new LedgerUnavailable("it cannot be reached", { cause: error });
    }
  }
}
