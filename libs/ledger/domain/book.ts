import type { Balance } from "./balance.js";
import type {
  Act,
  AllowanceSetting,
  Attempt,
  Job,
  KeyRecord,
  LedgerEntry,
  Reservation,
  SettingsEntry,
  Tenant,
  TenantSettings,
  UserAllowanceSetting,
} from "./entities.js";
import { serviceBookId } from "./service-book.js";

/**
 * A row that a decision needs. Three kinds ask for several: `userBalances` for all balances of users in one unit (id: the
 * unit), `attempts` for those of one child (id: see {@link attemptsId}), `descendants` for the open jobs below a job.
 */
export interface Want {
  /** Whose book lacks it. */
  readonly tenantId: string;
  readonly kind:
    | "tenant"
    | "settings"
    | "user"
    | "job"
    | "descendants"
    | "reservation"
    | "attempts"
    | "balance"
    | "flow"
    | "key"
    | "userBalances";
  readonly id: string;
}

/** Names the attempts of one child of a reservation. */
export function attemptsId(reservationId: string, child: number): string {
  return `${reservationId}/${child}`;
}

/** Thrown where a rule reads rows that were not loaded yet. Rules read before they write, so they can start again. */
export class NotLoaded {
  constructor(readonly wants: readonly Want[]) {}
}

/** A balance that was changed, and the condition under which the record may take the change. */
export interface ChangedBalance {
  readonly balance: Balance;
  /** The version it was read at; 0 for a new row. */
  readonly readVersion: number;
  /** True where its last movement was an admission under `enforce`: then `spent + reserved ≤ limit` must hold. */
  bound: boolean;
}

export type SettingChange =
  /** An allowance of the tenant, or of the service whose book it is; null takes it away. */
  | { readonly kind: "tenant"; readonly unit: string; readonly setting: TenantSettings["allowances"][string] | null }
  /** A user's own limit; null takes it away. */
  | {
      readonly kind: "user";
      readonly user: string;
      readonly unit: string;
      readonly setting: UserAllowanceSetting | null;
    }
  /** A tenant's share of a service; null takes it away. */
  | {
      readonly kind: "service";
      readonly service: string;
      readonly unit: string;
      readonly setting: AllowanceSetting | null;
    }
  /** The default of users or jobs; null takes it away. */
  | { readonly kind: "userDefault" | "jobDefault"; readonly unit: string; readonly limit: number | null };

/** A table of rows by id, where null means: looked up and absent. */
class Rows<T> {
  readonly rows = new Map<string, T | null>();

  constructor(
    private readonly tenantId: string,
    private readonly kind: Want["kind"],
    private readonly whole: boolean,
  ) {}

  /** Puts in a loaded row; one that is already here is newer, since a decision may have changed it. */
  fill(id: string, row: T | null): void {
    if (!this.rows.has(id)) this.rows.set(id, row);
  }

  find(id: string): T | null {
    const row = this.rows.get(id);
    if (row !== undefined) return row;
    if (this.whole) return null;
    throw new NotLoaded([this.want(id)]);
  }

  /** All of them, or one NotLoaded that names every missing one. */
  findAll(ids: readonly string[]): (T | null)[] {
    const missing = this.whole ? [] : ids.filter((id) => this.rows.get(id) === undefined);
    if (missing.length > 0) throw new NotLoaded(missing.map((id) => this.want(id)));
    return ids.map((id) => this.rows.get(id) ?? null);
  }

  private want(id: string): Want {
    return { tenantId: this.tenantId, kind: this.kind, id };
  }
}

/**
 * The rows of one tenant that decisions are made on, and what the decisions changed. In the group commit it holds the
 * rows that a batch locked; as a `whole` book it is a complete ledger in memory, for the model and the simulation.
 * A service has a book too, under an id of its own: of jobs and reservations there is nothing in it.
 */
export class TenantBook {
  readonly jobs: Rows<Job>;
  readonly reservations: Rows<Reservation>;
  /** By {@link attemptsId}. */
  readonly attempts: Rows<readonly Attempt[]>;
  readonly balances: Rows<Balance>;
  readonly keys: Rows<KeyRecord>;
  readonly users: Rows<Record<string, UserAllowanceSetting>>;
  /** What else bounds a service, or the tenant at it, by the service's name: the ledger keeps it and does not read it. */
  readonly flows: Rows<object>;
  /** Units whose user balances are all loaded. */
  readonly wholeUnits = new Set<string>();
  /** Jobs whose open descendants are all loaded. */
  readonly wholeTrees = new Set<string>();
  /** Every balance that a decision looked at, also those that stand at zero and were never written. */
  readonly consulted = new Map<string, Balance>();
  private tenantRow: Tenant | null | undefined;
  private settingsRow: TenantSettings | undefined;

  readonly changes = {
    tenant: false,
    settings: [] as SettingChange[],
    balances: new Map<string, ChangedBalance>(),
    newJobs: [] as Job[],
    jobs: new Set<Job>(),
    newReservations: [] as Reservation[],
    reservations: new Set<Reservation>(),
    newAttempts: [] as Attempt[],
    entries: [] as (LedgerEntry | SettingsEntry)[],
    acts: [] as Act[],
    keys: [] as KeyRecord[],
    /** null takes it away. */
    flows: new Map<string, object | null>(),
  };

  constructor(
    readonly tenantId: string,
    private readonly whole = false,
    /** The books at hand, by id, those of services among them: one of each for all that is decided together. */
    private readonly books: ReadonlyMap<string, TenantBook> = new Map(),
  ) {
    this.jobs = new Rows(tenantId, "job", whole);
    this.reservations = new Rows(tenantId, "reservation", whole);
    this.attempts = new Rows(tenantId, "attempts", whole);
    this.balances = new Rows(tenantId, "balance", whole);
    this.keys = new Rows(tenantId, "key", whole);
    this.users = new Rows(tenantId, "user", whole);
    this.flows = new Rows(tenantId, "flow", whole);
  }

  get tenant(): Tenant | null {
    if (this.tenantRow === undefined) throw this.lacks("tenant");
    return this.tenantRow;
  }

  set tenant(row: Tenant | null) {
    this.tenantRow = row;
  }

  get settings(): TenantSettings {
    if (this.settingsRow === undefined) throw this.lacks("settings");
    return this.settingsRow;
  }

  /** True once the settings were loaded or set. */
  get hasSettings(): boolean {
    return this.settingsRow !== undefined;
  }

  set settings(settings: TenantSettings) {
    this.settingsRow = settings;
  }

  private lacks(kind: Want["kind"], id = this.tenantId): NotLoaded {
    return new NotLoaded([{ tenantId: this.tenantId, kind, id }]);
  }

  /** The book of a service; null where there is no such service, or nothing was ever set for it. */
  service(name: string): TenantBook | null {
    const id = serviceBookId(name);
    const book = this.books.get(id);
    if (!book && !this.whole) throw new NotLoaded([{ tenantId: id, kind: "tenant", id }]);
    return book?.tenant && book.tenant.configVersion > 0 ? book : null;
  }

  /** All balances of users in this unit. */
  userBalances(unit: string): Balance[] {
    if (!this.whole && !this.wholeUnits.has(unit)) throw this.lacks("userBalances", unit);
    return [...this.balances.rows.values()].filter(
      (row): row is Balance => row !== null && row.scope.kind === "user" && row.unit === unit,
    );
  }

  /** The open jobs below this one, the deepest first. */
  openDescendants(jobId: string): Job[] {
    if (!this.whole && !this.wholeTrees.has(jobId)) throw this.lacks("descendants", jobId);
    return [...this.jobs.rows.values()]
      .filter((job): job is Job => job?.state === "open" && job.ancestors.includes(jobId))
      .sort((a, b) => b.ancestors.length - a.ancestors.length || (a.id < b.id ? -1 : 1));
  }

  /** Moves amounts at one balance. `bound`: the movement is an admission that the limit must allow. */
  move(balance: Balance, by: { reserved: number; spent: number; bound: boolean }): void {
    this.touch(balance).bound = by.bound;
    balance.reserved += by.reserved;
    balance.spent += by.spent;
    if (balance.reserved < 0 || balance.spent < 0) throw new Error(`balance ${balance.key} would be negative`);
  }

  setLimit(balance: Balance, limit: number | null): void {
    this.touch(balance).bound = false;
    balance.limit = limit;
  }

  /** True where a commit has something to write. */
  get isChanged(): boolean {
    const { tenant, ...rows } = this.changes;
    return tenant || Object.values(rows).some((some) => ("length" in some ? some.length : some.size) > 0);
  }

  private touch(balance: Balance): ChangedBalance {
    let changed = this.changes.balances.get(balance.key);
    if (!changed) {
      changed = { balance, readVersion: balance.version, bound: false };
      this.changes.balances.set(balance.key, changed);
      this.balances.rows.set(balance.key, balance);
      this.consulted.set(balance.key, balance);
    }
    balance.version += 1;
    return changed;
  }

  addJob(job: Job): void {
    this.jobs.rows.set(job.id, job);
    this.changes.newJobs.push(job);
  }

  addReservation(reservation: Reservation): void {
    this.reservations.rows.set(reservation.id, reservation);
    this.changes.newReservations.push(reservation);
  }

  addAttempt(attempt: Attempt): void {
    const id = attemptsId(attempt.reservationId, attempt.child);
    this.attempts.rows.set(id, [...(this.attempts.find(id) ?? []), attempt]);
    this.changes.newAttempts.push(attempt);
  }

  setFlow(service: string, flow: object | null): void {
    this.flows.rows.set(service, flow);
    this.changes.flows.set(service, flow);
  }

  addKey(record: KeyRecord): void {
    this.keys.rows.set(record.key, record);
    this.changes.keys.push(record);
  }

  addEntry(entry: LedgerEntry | SettingsEntry): void {
    this.changes.entries.push(entry);
  }

  addAct(act: Act): void {
    this.changes.acts.push(act);
  }

  /** The tenant or its settings changed: copies of them elsewhere are outdated. */
  reconfigure(tenant: Tenant, changes: readonly SettingChange[]): void {
    tenant.configVersion += 1;
    this.changes.tenant = true;
    this.changes.settings.push(...changes);
  }
}
