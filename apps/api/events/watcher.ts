import { randomBytes } from "node:crypto";
import type { LedgerLog } from "#libs/ledger";
import type { Caller } from "../auth/authenticator.js";
import type { PrismaClient } from "../record/client.js";
import { Audience } from "./audience.js";
import { readMarks, readTenantMarks, TENANT_TOPICS, type Marks, type Topic } from "./marks.js";
import type { LiveServices, ServiceNow } from "./services.js";
import type { EventStream } from "./stream.js";

/** Pause between two looks, milliseconds: a change is told within about two of them. */
const LOOK_MS = 1_000;
/** How long it goes on looking once nobody listens, so that a client that comes back hears what it missed. */
const LINGER_MS = 30_000;
/** Of so many, those that nobody listens for are forgotten at once. */
const MOST_KEPT = 1_000;
/** The operator among the audiences, which have the ids of tenants for their names. */
const OPERATOR = "";
const ID = /^([0-9a-f]{12})-(\d{1,9})$/;

export interface Listener {
  readonly stream: EventStream;
  readonly caller: Caller;
  /** The id of the last event that this client has seen, where it was connected before. */
  readonly lastId: string | undefined;
  /** Whether it was told where it begins. */
  hasBegun: boolean;
}

type Part = "record" | "redis";

export interface WatcherParts {
  readonly record: PrismaClient;
  readonly services: LiveServices;
  /** Whether the Redis that there is does not answer. */
  readonly isRedisAway: () => boolean;
  readonly log: LedgerLog;
}

/**
 * Looks for changes while somebody listens, once for all who do, and tells each what is its business: which topics have
 * changed, never how. It keeps no history: a client that was away hears the topics that moved meanwhile, or that all may have.
 */
export class Watcher {
  private readonly listeners = new Set<Listener>();
  private readonly audiences = new Map<string, { audience: Audience; heardAt: number }>();
  private epoch = "";
  private look = 0;
  private marks: Marks | null = null;
  /** Whether something of tenants moved at the last look: it may have been committed since. */
  private movedBefore = false;
  private away: readonly Part[] = [];
  private known: readonly ServiceNow[] = [];
  private timer: NodeJS.Timeout | undefined;
  private isLooking = false;
  private closed = false;

  constructor(private readonly parts: WatcherParts) {}

  get isRunning(): boolean {
    return this.timer !== undefined || this.isLooking;
  }

  add(listener: Listener): void {
    this.listeners.add(listener);
    const name = nameOf(listener.caller);
    const known = this.audiences.get(name)?.audience;
    this.audiences.set(name, { audience: known ?? new Audience(name === OPERATOR), heardAt: performance.now() });
    const away = shownTo(listener.caller, this.away);
    if (away.length > 0) listener.stream.send("unavailable", { what: away });
    if (known?.isWatched) this.begin(listener, known);
    if (!this.isRunning) this.start();
    else if (!known && !this.isLooking) this.lookIn(0);
  }

  remove(listener: Listener): void {
    this.listeners.delete(listener);
    const kept = this.audiences.get(nameOf(listener.caller));
    if (kept) kept.heardAt = performance.now();
  }

  close(): void {
    this.closed = true;
    this.listeners.clear();
    clearTimeout(this.timer);
    this.timer = undefined;
    this.audiences.clear();
  }

  private start(): void {
    this.epoch = randomBytes(6).toString("hex");
    this.look = 0;
    this.lookIn(0);
  }

  private lookIn(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.timer = undefined;
      void this.lookOnce();
    }, ms).unref();
  }

  private async lookOnce(): Promise<void> {
    this.isLooking = true;
    const begun = performance.now();
    await this.findAndTell();
    this.isLooking = false;
    this.forget();
    if (this.audiences.size === 0) return;
    const fresh = [...this.audiences.values()].some(({ audience }) => !audience.isWatched);
    const pause = LOOK_MS - (performance.now() - begun);
    this.lookIn(fresh && !this.away.includes("record") ? 0 : Math.max(0, pause));
  }

  private async findAndTell(): Promise<void> {
    this.look += 1;
    let isRecordAway = false;
    try {
      await this.find();
    } catch (error) {
      isRecordAway = true;
      if (!this.closed && !this.away.includes("record"))
        this.parts.log.warn({ err: error }, "changes cannot be looked for");
    }
    this.tellAway([
      ...(isRecordAway ? ["record" as const] : []),
      ...(this.parts.isRedisAway() ? ["redis" as const] : []),
    ]);
  }

  private async find(): Promise<void> {
    const { marks: before, movedBefore } = this;
    const marks = await readMarks(this.parts.record);
    const moved = TENANT_TOPICS.some((topic) => marks[topic] !== before?.[topic]);
    await this.findOfTenants(moved || movedBefore);
    this.marks = marks;
    this.movedBefore = moved;
    const operator = this.audiences.get(OPERATOR)?.audience;
    if (!operator) return;
    this.tell(OPERATOR, operator, marks);
    await this.findServices(marks.services);
  }

  private async findOfTenants(mayHaveMoved: boolean): Promise<void> {
    const due = [...this.audiences].filter(
      ([name, { audience }]) => name !== OPERATOR && (mayHaveMoved || !audience.isWatched),
    );
    if (due.length === 0) return;
    const found = await readTenantMarks(
      this.parts.record,
      due.map(([name]) => name),
    );
    for (const [name, { audience }] of due) {
      const marks = found.get(name);
      if (marks) this.tell(name, audience, marks);
    }
  }

  private async findServices(mark: string): Promise<void> {
    const changed = await this.parts.services.changed(mark);
    this.known = this.parts.services.all;
    if (changed.length === 0) return;
    for (const { stream, hasBegun, caller } of this.listeners)
      if (hasBegun && caller.kind === "operator") stream.send("services", { services: changed });
  }

  private tell(name: string, audience: Audience, marks: Partial<Marks>): void {
    const topics = audience.see(this.look, marks);
    for (const listener of this.listeners) {
      if (nameOf(listener.caller) !== name) continue;
      if (!listener.hasBegun) this.begin(listener, audience);
      else if (topics.length > 0) this.sendChanged(listener, audience, topics);
    }
  }

  /** What is on record now was looked at before, so nothing falls between what the client asks for next and what it is told. */
  private begin(listener: Listener, audience: Audience): void {
    listener.hasBegun = true;
    const [, epoch, look] = ID.exec(listener.lastId ?? "") ?? [];
    const missed = epoch === this.epoch ? audience.since(Number(look)) : null;
    if (missed === null) listener.stream.send("everything", {}, this.idOf(audience));
    else this.sendChanged(listener, audience, missed);
    if (listener.caller.kind === "operator" && this.known.length > 0)
      listener.stream.send("services", { services: this.known });
  }

  private sendChanged({ stream }: Listener, audience: Audience, topics: readonly Topic[]): void {
    stream.send("changed", { topics }, this.idOf(audience));
  }

  /** Names the last look of which the audience was told all: one that is under way may yet find something. */
  private idOf({ seenAt }: Audience): string {
    return `${this.epoch}-${seenAt}`;
  }

  private tellAway(away: readonly Part[]): void {
    const before = this.away;
    if (away.join() === before.join()) return;
    this.away = away;
    for (const { stream, caller } of this.listeners) {
      const [now, then] = [shownTo(caller, away), shownTo(caller, before)];
      if (now.join() === then.join()) continue;
      if (now.length > 0) stream.send("unavailable", { what: now });
      else stream.send("available", {});
    }
  }

  /** Whoever nobody listened to for a while; with the last of them it stops looking. */
  private forget(): void {
    const heard = new Set([...this.listeners].map(({ caller }) => nameOf(caller)));
    for (const [name, { heardAt }] of this.audiences) {
      if (heard.has(name)) continue;
      const isLong = performance.now() - heardAt > LINGER_MS;
      if (isLong || this.audiences.size > MOST_KEPT) this.audiences.delete(name);
    }
  }
}

function nameOf(caller: Caller): string {
  return caller.kind === "operator" ? OPERATOR : caller.tenantId;
}

/** Tenants hear of the record alone: without Redis their answers are as they were. */
function shownTo(caller: Caller, away: readonly Part[]): readonly Part[] {
  return caller.kind === "operator" ? away : away.filter((part) => part === "record");
}
