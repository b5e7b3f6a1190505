import type { Balance, Books, Instant, Job, KeyRecord, UserAllowanceSetting, Want } from "#libs/ledger";
import type { RecordStore, RecordTransaction, TenantConfig, TenantRow } from "../../libs/ledger/protocol/ports.js";
import type { Overdue } from "../../apps/reconciler/tasks/expire.js";
import { Session, type SimPostgres } from "./postgres.js";
import type { Actor } from "./scheduler.js";
import { overdue, writesOf, type TenantTables } from "./tables.js";
import { Unreachable, type Wire } from "./wire.js";

const PAGE = 500;

/** One process's way to the simulated record. */
export class SimRecord implements RecordStore {
  private readonly sessions = new Set<Session>();

  constructor(
    private readonly server: SimPostgres,
    private readonly wire: Wire,
    private readonly process: Actor,
    private readonly timeoutMs: number,
  ) {}

  async begin(books: Books, wants: readonly Want[]): Promise<RecordTransaction> {
    const session = new Session();
    this.sessions.add(session);
    try {
      const now = await this.call(() => this.server.begin(session, books, wants));
      const hangUp = () => this.hangUpOn(session);
      return new SimTransaction(session, now, this.server, (work) => this.call(work), hangUp);
    } catch (error) {
      this.hangUpOn(session);
      throw error;
    }
  }

  /** The process is gone: its connections end. */
  hangUp(): void {
    for (const session of this.sessions) this.hangUpOn(session);
  }

  /** The connection is given up; the server learns it, if at all, when it gets to it. */
  private hangUpOn(session: Session): void {
    this.sessions.delete(session);
    this.wire.tell(this.server.actor, () => this.server.end(session));
  }

  findKeys(rows: readonly TenantRow[]): Promise<(KeyRecord | null)[]> {
    return this.find(rows, (tables, id) => tables.keys.get(id));
  }

  findBalances(rows: readonly TenantRow[]): Promise<(Balance | null)[]> {
    return this.find(rows, (tables, id) => copy(tables.balances.get(id)));
  }

  findJobs(rows: readonly TenantRow[]): Promise<(Job | null)[]> {
    return this.find(rows, (tables, id) => copy(tables.jobs.get(id)));
  }

  async findUsers(rows: readonly TenantRow[]): Promise<Record<string, UserAllowanceSetting>[]> {
    return (await this.find(rows, (tables, id) => copy(tables.users.get(id)))).map((own) => own ?? {});
  }

  /** Two statements, as in PostgreSQL: the settings may be newer than the tenant. */
  async findTenants(ids: readonly string[]): Promise<(TenantConfig | null)[]> {
    const rows = ids.map((id) => ({ tenantId: id, id }));
    const tenants = await this.find(rows, (tables) => copy(tables.tenant));
    const settings = await this.find(rows, (tables) => copy(tables.settings));
    return tenants.map((tenant, i) => tenant && { tenant, settings: settings[i]! });
  }

  findStandings(): Promise<never> {
    return Promise.reject(new Error("the simulation starts no attempts by permit"));
  }

  async pageBalances(tenantId: string, after: string, most: number): Promise<Balance[]> {
    return this.call(async () =>
      [...(this.server.tables.get(tenantId)?.balances.values() ?? [])]
        .filter(({ key }) => key > after)
        .sort((a, b) => (a.key < b.key ? -1 : 1))
        .slice(0, most)
        .map((row) => ({ ...row })),
    );
  }

  /** What the reconciler's sweep reads. */
  readOverdue(after: Overdue | null): Promise<Overdue[]> {
    const place = ({ deadline, tenantId, id }: Overdue) => `${deadline.padStart(16, "0")} ${tenantId} ${id}`;
    return this.call(async () => {
      const now = this.server.now();
      return [...this.server.tables]
        .flatMap(([tenantId, tables]) =>
          overdue(tables, now).map(({ id, expiresAt }) => ({ tenantId, id, deadline: String(expiresAt) })),
        )
        .filter((one) => after === null || place(one) > place(after))
        .sort((a, b) => (place(a) < place(b) ? -1 : 1))
        .slice(0, PAGE);
    });
  }

  isUnavailable(error: unknown): boolean {
    return error instanceof Unreachable;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private find<Row>(
    rows: readonly TenantRow[],
    rowOf: (tables: TenantTables, id: string) => Row | undefined,
  ): Promise<(Row | null)[]> {
    return this.call(async () =>
      rows.map(({ tenantId, id }) => {
        const tables = this.server.tables.get(tenantId);
        return (tables && rowOf(tables, id)) ?? null;
      }),
    );
  }

  private call<T>(work: () => Promise<T>): Promise<T> {
    const { process: caller, timeoutMs } = this;
    return this.wire.call({ caller, server: this.server.actor, timeoutMs, work });
  }
}

class SimTransaction implements RecordTransaction {
  constructor(
    private readonly session: Session,
    readonly now: Instant,
    private readonly server: SimPostgres,
    private readonly call: <T>(work: () => Promise<T>) => Promise<T>,
    private readonly hangUp: () => void,
  ) {}

  load(books: Books, wants: readonly Want[]): Promise<void> {
    return this.call(async () => this.server.load(this.session, books, wants));
  }

  async commit(books: Books): Promise<void> {
    const writes = [...books.values()].filter(({ isChanged }) => isChanged).map(writesOf);
    try {
      await this.call(async () => this.server.commit(this.session, writes));
    } finally {
      this.hangUp();
    }
  }

  rollback(): Promise<void> {
    this.hangUp();
    return Promise.resolve();
  }
}

function copy<Row extends object>(row: Row | undefined): Row | undefined {
  return row && { ...row };
}
