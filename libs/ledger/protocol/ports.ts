import type {
  Balance,
  Books,
  Instant,
  Job,
  KeyRecord,
  Plan,
  Reservation,
  Tenant,
  TenantSettings,
  UserAllowanceSetting,
  Want,
} from "../domain/index.js";

export interface LedgerLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A row of one tenant, by its id or key. */
export interface TenantRow {
  readonly tenantId: string;
  readonly id: string;
}

/** One child of a reservation, whose id is `id`. */
export interface ChildRow extends TenantRow {
  readonly child: number;
}

/** What the record says of the next attempt of a child. */
export interface ChildStanding {
  readonly state: Reservation["state"];
  readonly jobId: string;
  readonly jobState: Job["state"];
  readonly tenantState: Tenant["state"];
  /** null: plain amounts, which set no number of attempts. */
  readonly plan: Plan | null;
  /** The one that it names; null: none. */
  readonly service: string | null;
  /** Milliseconds until the deadline, by the record's clock; negative behind it. */
  readonly leftMs: number;
  /** The child's last attempt that was charged; 0 before the first. */
  readonly charged: number;
  /** One of its attempts did. */
  readonly succeeded: boolean;
}

export interface TenantConfig {
  readonly tenant: Tenant;
  readonly settings: TenantSettings;
}

/**
 * The record: the only place where money moves. Not part of it: deciding, which is the domain's, and retrying, which is
 * the group commit's.
 */
export interface RecordStore {
  /**
   * Opens a transaction: locks the tenants of the books, in the order of their ids, then the services of the books and of
   * the reservations that are wanted, in the order of their names, and then fills the books with the tenants, the services
   * and what is wanted. A want that does not exist is filled as null; the books of services that were found are added.
   */
  begin(books: Books, wants: readonly Want[]): Promise<RecordTransaction>;

  /** Plain reads, without a lock; one result for each row asked for, in order. */
  findKeys(rows: readonly TenantRow[]): Promise<(KeyRecord | null)[]>;
  findBalances(rows: readonly TenantRow[]): Promise<(Balance | null)[]>;
  findJobs(rows: readonly TenantRow[]): Promise<(Job | null)[]>;
  findUsers(rows: readonly TenantRow[]): Promise<Record<string, UserAllowanceSetting>[]>;
  findTenants(ids: readonly string[]): Promise<(TenantConfig | null)[]>;
  findStandings(rows: readonly ChildRow[]): Promise<(ChildStanding | null)[]>;

  /** A tenant's balances in the order of their keys, those behind `after`. */
  pageBalances(tenantId: string, after: string, most: number): Promise<Balance[]>;

  /** True for an error that says nothing about the batch itself: the connection or the server was lost. */
  isUnavailable(error: unknown): boolean;
  close(): Promise<void>;
}

export interface RecordTransaction {
  /** The record's time after the locks were taken. */
  readonly now: Instant;
  load(books: Books, wants: readonly Want[]): Promise<void>;
  /** Writes what the books changed and commits; with the belt: a row that is not as it was read undoes all of it. */
  commit(books: Books): Promise<void>;
  rollback(): Promise<void>;
}

/** What one reservation would take at one balance. */
export interface Hold {
  readonly key: string;
  readonly amount: number;
}

/** The figures of a balance as they were copied. */
export type Copy = Pick<Balance, "limit" | "reserved" | "spent" | "version">;

/** A copy as it was judged. */
export interface JudgedCopy extends Copy {
  /** How long ago the record showed it, milliseconds. */
  readonly ageMs: number;
}

/**
 * `fits`: all copies are fresh and none refuses. `unsure`: none refuses, but not all of them are there and fresh. `stale`:
 * one refuses, but not all of them are there and fresh. `denied`: all are fresh and one refuses. `copies` are in the
 * order of the holds. Only `denied` refuses: else the record decides.
 */
export type Verdict =
  | { readonly status: "unsure" | "stale" }
  | { readonly status: "fits" | "denied"; readonly copies: readonly JudgedCopy[] };

/** Versioned copies of balances, of one tenant at a time. Never the truth: a lost copy only costs a look at the record. */
export interface CopyStore {
  /** False while the way to the store is known to be broken. */
  readonly connected: boolean;
  /** Judges each list of holds by the copies, which must be confirmed within the last `freshMs`. */
  judge(tenantId: string, asks: readonly (readonly Hold[])[], freshMs: number): Promise<Verdict[]>;
  /** Stores copies that are not older than those there. `ageMs`: how long ago the record was read. */
  remember(tenantId: string, balances: readonly Balance[], ageMs: number): Promise<void>;
  /** The copies as they are, for the audit; null where there is none. */
  read(tenantId: string, keys: readonly string[]): Promise<(Copy | null)[]>;
  /** Drops copies, for the audit. */
  forget(tenantId: string, keys: readonly string[]): Promise<void>;
  close(): void;
}
