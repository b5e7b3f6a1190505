import type { Command, Grounds, LedgerLog } from "#libs/ledger";
import type { PrismaClient } from "../record/client.js";
import { askOf } from "./kept.js";
import { RowsOfMinute } from "./rows.js";
import { join, nameOf, TenantTally, together, type Like, type Tallied } from "./tallied.js";
import { writeDenials } from "./write.js";

/** How long denials are kept in the process before they are written, milliseconds: so much is lost with it. */
const FLUSH_MS = 1_000;
/** After a write there is a pause of so many times what it took, so that a storm of many tenants costs a tenth of the time. */
const PAUSE_TIMES = 10;
const LONGEST_PAUSE_MS = 5_000;
/** Kinds of denials of one tenant that are told apart between two writes; further ones are counted together. */
const MOST_APART = 1_000;
/** The same of all tenants: a bound on what a process keeps while the record takes nothing. */
const MOST_IN_ALL = 20_000;
/** What is told apart in one statement, so that it stays within the time-out; only a storm of many tenants needs more than one. */
const PORTION = 2_000;

/**
 * Counts the denials of this process and writes them down. A denial costs an entry in a map, however many there are: one
 * statement a second, or fewer where it takes long, writes what was counted, for the list of denials and for webhooks.
 */
export class DenialTally {
  private tallied = new Map<string, TenantTally>();
  /** What is told apart in it. */
  private apart = 0;
  private timer: NodeJS.Timeout | undefined;
  /** When it may be written again. */
  private restedAt = 0;
  private writing: Promise<void> = Promise.resolve();
  private readonly rows = new RowsOfMinute();

  constructor(
    private readonly record: PrismaClient,
    private readonly log: LedgerLog,
  ) {}

  note(command: Command, grounds: Grounds, observed: boolean): void {
    const { scope, unit, code } = grounds.denial;
    const { jobId, service } = askOf(command);
    const { kind } = scope;
    const scopeId = nameOf(scope);
    const like: Like = { kind, scopeId, unit, code, service: service ?? "", jobId, observed };
    const one = { count: 1, firstAt: grounds.at, command, grounds };
    const known = this.tallied.get(command.tenantId)?.find(like);
    if (known) join(known, one);
    else this.add({ ...like, ...one, tenantId: command.tenantId });
  }

  /** Writes what is left. */
  async close(): Promise<void> {
    this.flush();
    await this.writing;
    clearTimeout(this.timer);
  }

  private add(one: Tallied): void {
    let alike = this.tallied.get(one.tenantId);
    if (!alike) this.tallied.set(one.tenantId, (alike = new TenantTally()));
    const known = alike.find(one);
    if (known) join(known, one);
    else if (alike.size < MOST_APART && this.apart < MOST_IN_ALL) {
      alike.put(one);
      this.apart += 1;
    } else alike.join(together(one));
    this.timer ??= setTimeout(() => this.flush(), Math.max(FLUSH_MS, this.restedAt - performance.now())).unref();
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.writing = this.writing.then(() => this.writeAll());
  }

  private async writeAll(): Promise<void> {
    const tallied = this.tallied;
    this.tallied = new Map();
    this.apart = 0;
    const begun = performance.now();
    for (const counted of portionsOf(tallied.values())) await this.writeSome(counted);
    const ended = performance.now();
    this.restedAt = ended + Math.min(LONGEST_PAUSE_MS, PAUSE_TIMES * (ended - begun));
  }

  private async writeSome(counted: readonly (readonly Tallied[])[]): Promise<void> {
    try {
      await writeDenials(this.record, this.rows.of(counted), counted.flat());
    } catch (error) {
      this.log.warn({ err: error }, "denials could not be written yet");
      for (const one of counted.flat()) this.add(one);
    }
  }
}

/** A tenant's are never parted. */
function* portionsOf(tallied: Iterable<TenantTally>): Iterable<Tallied[][]> {
  let portion: Tallied[][] = [];
  let size = 0;
  for (const alike of tallied) {
    portion.push([...alike]);
    size += alike.size;
    if (size < PORTION) continue;
    yield portion;
    portion = [];
    size = 0;
  }
  if (size > 0) yield portion;
}
