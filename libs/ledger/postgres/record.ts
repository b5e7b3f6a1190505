import type pg from "pg";
import {
  bookIn,
  serviceOfBook,
  type Balance,
  type Books,
  type Instant,
  type Job,
  type KeyRecord,
  type Tenant,
  type UserAllowanceSetting,
  type Want,
} from "../domain/index.js";
import type {
  ChildRow,
  ChildStanding,
  RecordStore,
  RecordTransaction,
  TenantConfig,
  TenantRow,
} from "../protocol/ports.js";
import { classify, connect, RecordUnreachable } from "./connection.js";
import { KnownFacts } from "./facts.js";
import * as find from "./load.js";
import * as row from "./rows.js";
import { inOneFlight, ms, rowsOf, statement, type Statement } from "./sql.js";
import { findStandings } from "./standing.js";
import { sendWrites } from "./write.js";

const BEGIN = statement("begin", "BEGIN");
const COMMIT = statement("commit", "COMMIT");
const ROLLBACK = statement("rollback", "ROLLBACK");
const LOCK = statement(
  "lock",
  `SELECT ${row.TENANT} FROM tenants t WHERE t.id = ANY($1::text[]) ORDER BY t.id FOR UPDATE`,
);
/**
 * After the tenants, so that no two batches wait for each other; and behind them, so that it sees every reservation of
 * theirs. Which service a reservation is for never changes.
 */
const LOCK_SERVICES = statement(
  "lock_services",
  `SELECT ${row.SERVICE} FROM services s WHERE s.name IN (
     SELECT unnest($1::text[])
     UNION ALL
     SELECT r.service FROM unnest($2::text[], $3::text[]) AS w(tenant_id, id)
     JOIN reservations r USING (tenant_id, id) WHERE r.service IS NOT NULL
   ) ORDER BY s.name FOR UPDATE`,
);
const FIND_SERVICES = statement("services", `SELECT ${row.SERVICE} FROM services s WHERE s.name = ANY($1::text[])`);
// A statement of its own: behind the locks, so that time never runs backwards within a tenant.
const NOW = statement("now", `SELECT ${ms("holdfast_now()")}`);
const FIND_TENANTS = statement("tenants", `SELECT ${row.TENANT} FROM tenants t WHERE t.id = ANY($1::text[])`);

export interface PostgresOptions {
  readonly url: string;
  /** Longest wait for the server, milliseconds. */
  readonly timeoutMs: number;
  /** Batches that may be in flight at once. */
  readonly batches: number;
  readonly onError: (error: Error) => void;
}

/** The record in PostgreSQL. Batches and plain reads have connections of their own, so that neither waits for the other. */
export class PostgresRecord implements RecordStore {
  private readonly batches: pg.Pool;
  private readonly reads: pg.Pool;
  private readonly facts = new KnownFacts();

  constructor({ batches, ...options }: PostgresOptions) {
    this.batches = connect({ ...options, size: batches });
    this.reads = connect({ ...options, size: 2 });
  }

  async begin(books: Books, wants: readonly Want[]): Promise<RecordTransaction> {
    const client = await this.batches.connect().catch((error: unknown) => {
      throw classify(error);
    });
    const transaction = new PostgresTransaction(client, this.facts);
    try {
      await transaction.open(books, wants);
      return transaction;
    } catch (error) {
      await transaction.abandon(error);
      throw error;
    }
  }

  async findKeys(rows: readonly TenantRow[]): Promise<(KeyRecord | null)[]> {
    return this.find<row.KeyColumns, KeyRecord>(find.FIND_KEYS, row.keyOf, rows);
  }

  async findBalances(rows: readonly TenantRow[]): Promise<(Balance | null)[]> {
    return this.find<row.BalanceColumns, Balance>(find.FIND_BALANCES, row.balanceOf, rows);
  }

  async findJobs(rows: readonly TenantRow[]): Promise<(Job | null)[]> {
    return this.find<row.JobColumns, Job>(find.FIND_JOBS, row.jobOf, rows);
  }

  private async find<Columns extends [string, string, ...unknown[]], Entity>(
    sql: Statement,
    entityOf: (columns: Columns) => Entity,
    rows: readonly TenantRow[],
  ): Promise<(Entity | null)[]> {
    const found = await rowsOf<Columns>(this.reads, sql, find.columnsOf(rows));
    const byRow = new Map(found.map((columns) => [`${columns[0]}/${columns[1]}`, entityOf(columns)]));
    return rows.map(({ tenantId, id }) => byRow.get(`${tenantId}/${id}`) ?? null);
  }

  async findUsers(rows: readonly TenantRow[]): Promise<Record<string, UserAllowanceSetting>[]> {
    const found = await rowsOf<row.AllowanceColumns>(this.reads, find.FIND_OWN_LIMITS, find.columnsOf(rows));
    return rows.map(({ tenantId, id }) =>
      row.ownLimitsOf(found.filter(([tenant, , user]) => tenant === tenantId && user === id)),
    );
  }

  async findTenants(ids: readonly string[]): Promise<(TenantConfig | null)[]> {
    // One statement for both would tear: settings are read after the tenant, so they are at least as new as its version.
    const tenants = await this.findHeads(ids);
    const settings = await rowsOf<row.AllowanceColumns>(this.reads, find.FIND_SETTINGS, [ids]);
    return ids.map((id) => {
      const tenant = tenants.find((one) => one.id === id);
      return tenant ? { tenant, settings: row.settingsOf(settings.filter(([of]) => of === id)) } : null;
    });
  }

  findStandings(rows: readonly ChildRow[]): Promise<(ChildStanding | null)[]> {
    return findStandings(this.reads, rows);
  }

  /** The tenants, and the services, whose books these are. */
  private async findHeads(ids: readonly string[]): Promise<Tenant[]> {
    const [tenants, services] = sorted(ids);
    const [some, others] = await Promise.all([
      tenants.length > 0 ? rowsOf<row.TenantColumns>(this.reads, FIND_TENANTS, [tenants]) : [],
      services.length > 0 ? rowsOf<row.ServiceColumns>(this.reads, FIND_SERVICES, [services]) : [],
    ]);
    return [...some.map(row.tenantOf), ...others.map(row.tenantOfService)];
  }

  async pageBalances(tenantId: string, after: string, most: number): Promise<Balance[]> {
    return (await rowsOf<row.BalanceColumns>(this.reads, find.PAGE_BALANCES, [tenantId, after, most])).map(
      row.balanceOf,
    );
  }

  isUnavailable(error: unknown): boolean {
    return error instanceof RecordUnreachable;
  }

  async close(): Promise<void> {
    await Promise.all([this.batches.end(), this.reads.end()]);
  }
}

class PostgresTransaction implements RecordTransaction {
  now: Instant = 0;

  constructor(
    private readonly client: pg.PoolClient,
    private readonly facts: KnownFacts,
  ) {}

  /** One flight: BEGIN, the locks, the time and what is wanted, each a statement with a snapshot of its own. */
  async open(books: Books, wants: readonly Want[]): Promise<void> {
    const ids = [...books.keys()];
    const [, tenants, services, [now]] = await inOneFlight(this.client, () =>
      Promise.all([
        rowsOf(this.client, BEGIN),
        this.lockTenants(sorted(ids)[0]),
        this.lockServices(sorted(ids)[1], wants),
        rowsOf<[number]>(this.client, NOW),
        find.load(this.client, books, wants, this.facts),
      ]),
    );
    this.now = now![0];
    for (const id of ids) books.get(id)!.tenant = null;
    for (const columns of tenants) books.get(columns[0])!.tenant = row.tenantOf(columns);
    for (const service of services.map(row.tenantOfService)) bookIn(books, service.id).tenant = service;
  }

  private async lockTenants(ids: readonly string[]): Promise<row.TenantColumns[]> {
    return ids.length > 0 ? rowsOf(this.client, LOCK, [ids]) : [];
  }

  /** Most batches name no service and move no reservation that could be for one. */
  private async lockServices(names: readonly string[], wants: readonly Want[]): Promise<row.ServiceColumns[]> {
    const reservations = wants.filter(({ kind }) => kind === "reservation");
    const services = new Set(names);
    const unknown = reservations.filter(({ tenantId, id }) => {
      const facts = this.facts.find(tenantId, id);
      if (facts?.service) services.add(facts.service);
      return !facts;
    });
    if (services.size === 0 && unknown.length === 0) return [];
    return rowsOf(this.client, LOCK_SERVICES, [[...services], ...find.columnsOf(unknown)]);
  }

  load(books: Books, wants: readonly Want[]): Promise<void> {
    return find.load(this.client, books, wants, this.facts);
  }

  async commit(books: Books): Promise<void> {
    const sent = inOneFlight(this.client, () => [
      ...sendWrites(this.client, books.values(), this.now),
      rowsOf(this.client, COMMIT),
    ]);
    const results = await Promise.allSettled(sent);
    const failed = results.find((result) => result.status === "rejected");
    this.client.release(failed?.reason instanceof RecordUnreachable);
    if (failed) throw failed.reason;
    for (const { tenantId, changes } of books.values())
      for (const reservation of changes.newReservations) this.facts.learn(tenantId, reservation);
  }

  async rollback(): Promise<void> {
    try {
      await rowsOf(this.client, ROLLBACK);
      this.client.release();
    } catch {
      this.client.release(true);
    }
  }

  /** After a failed open: the connection is given up where it may still be in the transaction. */
  async abandon(error: unknown): Promise<void> {
    if (error instanceof RecordUnreachable) this.client.release(true);
    else await this.rollback();
  }
}

/** The tenants among these books, by id, and the services, by name. */
function sorted(bookIds: readonly string[]): [tenants: string[], services: string[]] {
  const services = bookIds.map(serviceOfBook);
  return [bookIds.filter((_, i) => services[i] === null), services.filter((name) => name !== null)];
}
