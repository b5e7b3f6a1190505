import {
  bookIn,
  serviceBookId,
  serviceOfBook,
  type Books,
  type Instant,
  type Reservation,
  type TenantBook,
  type Want,
} from "#libs/ledger";
import type { TenantConfig } from "../../libs/ledger/protocol/ports.js";
import { actor, type Actor, type Scheduler } from "./scheduler.js";
import { apply, check, emptyTables, type TenantTables, type Writes } from "./tables.js";
import { Unreachable } from "./wire.js";

/** A connection as the server knows it. */
export class Session {
  /** Its transaction cannot commit any more: the client is gone, or it was idle for too long. */
  dead = false;
  readonly locks: string[] = [];
  /** Whose lock it waits for. */
  waitsFor: Session | null = null;
  /** Counts what it was asked for, so that a transaction is known to have been idle. */
  asked = 0;
  /** What it was told of the time when it had its locks. */
  now: Instant = 0;
}

/** The simulated record: one server with locks, transactions and a clock. It knows no rules but those of its tables. */
export class SimPostgres {
  readonly actor: Actor = actor("postgres");
  readonly tables = new Map<string, TenantTables>();
  readonly sessions = new Set<Session>();
  /** How far its clock is ahead of virtual time, milliseconds. */
  clockAhead: number;
  private readonly holders = new Map<string, { by: Session; waiting: { session: Session; go: () => void }[] }>();

  constructor(
    private readonly scheduler: Scheduler,
    startsAt: Instant,
    private readonly idleTimeoutMs: number,
    private readonly committed: (writes: readonly Writes[], now: Instant) => void,
    private readonly deadlocked: () => void,
  ) {
    this.clockAhead = startsAt;
  }

  addTenant(config: TenantConfig): void {
    this.tables.set(config.tenant.id, emptyTables(config));
  }

  now(): Instant {
    return Math.floor(this.scheduler.now + this.clockAhead);
  }

  /** Ends every session: what was not committed is undone. */
  crash(): void {
    for (const session of [...this.sessions]) this.end(session);
    this.holders.clear();
  }

  end(session: Session): void {
    session.dead = true;
    this.sessions.delete(session);
    this.unlock(session);
  }

  /** Locks the tenants in the order of their ids, and then the services; then the time, and then what is wanted. */
  async begin(session: Session, books: Books, wants: readonly Want[]): Promise<Instant> {
    this.alive(session);
    this.sessions.add(session);
    session.asked += 1;
    const tenants = [...books.keys()].filter((id) => serviceOfBook(id) === null);
    for (const id of tenants.sort()) await this.lock(session, id);
    this.alive(session);
    for (const id of this.servicesOf(books, wants).sort()) await this.lock(session, id);
    this.alive(session);
    for (const book of books.values()) {
      const tables = this.tables.get(book.tenantId);
      book.tenant = tables ? { ...tables.tenant } : null;
    }
    this.fill(books, wants);
    this.watchIdle(session);
    return (session.now = this.now());
  }

  load(session: Session, books: Books, wants: readonly Want[]): void {
    this.alive(session);
    session.asked += 1;
    this.fill(books, wants);
    this.watchIdle(session);
  }

  /** @throws Broken: nothing was written. */
  commit(session: Session, writes: readonly Writes[]): void {
    this.alive(session);
    session.asked += 1;
    try {
      for (const one of writes) check(this.tables.get(one.tenantId)!, one);
      this.committed(writes, session.now);
      for (const one of writes) apply(this.tables.get(one.tenantId)!, one);
    } finally {
      this.end(session);
    }
  }

  private alive(session: Session): void {
    if (session.dead) throw new Unreachable("the transaction was ended by the server");
  }

  private async lock(session: Session, id: string): Promise<void> {
    this.alive(session);
    const held = this.holders.get(id);
    if (!held) {
      this.holders.set(id, { by: session, waiting: [] });
      session.locks.push(id);
      return;
    }
    session.waitsFor = held.by;
    if (waitsForItself(session)) this.deadlocked();
    return new Promise((go) => held.waiting.push({ session, go }));
  }

  private unlock(session: Session): void {
    for (const id of session.locks.splice(0)) {
      const held = this.holders.get(id);
      if (held?.by !== session) continue;
      const next = held.waiting.find((one) => !one.session.dead);
      if (!next) {
        this.holders.delete(id);
        continue;
      }
      held.by = next.session;
      held.waiting = held.waiting.filter((one) => one !== next && !one.session.dead);
      for (const { session } of held.waiting) session.waitsFor = next.session;
      next.session.waitsFor = null;
      next.session.locks.push(id);
      next.go();
    }
  }

  /** idle_in_transaction_session_timeout */
  private watchIdle(session: Session): void {
    const { asked } = session;
    this.scheduler.after(
      this.idleTimeoutMs,
      () => {
        if (!session.dead && session.asked === asked) this.end(session);
      },
      this.actor,
    );
  }

  /** The services that were named, and those that the wanted reservations are for: their books are added. */
  private servicesOf(books: Books, wants: readonly Want[]): string[] {
    for (const { tenantId, kind, id } of wants) {
      const row = kind === "reservation" ? this.tables.get(tenantId)?.reservations.get(id) : undefined;
      if (row?.service) bookIn(books, serviceBookId(row.service));
    }
    return [...books.keys()].filter((id) => serviceOfBook(id) !== null);
  }

  private fill(books: Books, wants: readonly Want[]): void {
    for (const { tenantId, kind, id } of wants) {
      const tables = this.tables.get(tenantId);
      if (tables) FILLS[kind](books.get(tenantId)!, tables, id);
      if (kind === "reservation") this.fillService(books, tables?.reservations.get(id));
    }
  }

  private fillService(books: Books, row: Reservation | undefined): void {
    if (!row?.service) return;
    const bookId = serviceBookId(row.service);
    for (const key of row.serviceKeys)
      bookIn(books, bookId).balances.fill(key, copy(this.tables.get(bookId)!.balances.get(key)));
  }
}

type Fill = (book: TenantBook, tables: TenantTables, id: string) => void;

function copy<Row extends object>(row: Row | undefined): Row | null {
  return row ? { ...row } : null;
}

const FILLS: Record<Want["kind"], Fill> = {
  tenant: () => {
    throw new Error("tenants are loaded with their lock");
  },
  settings: (book, { settings }) => void (book.settings = { ...settings }),
  user: (book, { users }, id) => book.users.fill(id, { ...users.get(id) }),
  job: (book, { jobs }, id) => book.jobs.fill(id, copy(jobs.get(id))),
  descendants: (book, { jobs }, id) => {
    for (const row of jobs.values()) {
      if (row.state === "open" && row.ancestors.includes(id)) book.jobs.fill(row.id, { ...row });
    }
    book.wholeTrees.add(id);
  },
  attempts: (book, { attempts }, id) => book.attempts.fill(id, attempts.get(id) ?? []),
  balance: (book, { balances }, id) => book.balances.fill(id, copy(balances.get(id))),
  flow: (book, { flows }, id) => book.flows.fill(id, flows.get(id) ?? null),
  key: (book, { keys }, id) => book.keys.fill(id, keys.get(id) ?? null),
  reservation: (book, { reservations, balances }, id) => {
    const row = reservations.get(id);
    for (const key of row?.keys ?? []) book.balances.fill(key, copy(balances.get(key)));
    book.reservations.fill(id, copy(row));
  },
  userBalances: (book, { balances }, unit) => {
    for (const row of balances.values()) {
      if (row.scope.kind === "user" && row.unit === unit) book.balances.fill(row.key, { ...row });
    }
    book.wholeUnits.add(unit);
  },
};

function waitsForItself(session: Session): boolean {
  const seen = new Set<Session>();
  for (let next = session.waitsFor; next && !seen.has(next); next = next.waitsFor) {
    if (next === session) return true;
    seen.add(next);
  }
  return false;
}
