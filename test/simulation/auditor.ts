import type { Job, LedgerEntry, Reservation, ScopeKind, SettingChange, Tenant, TenantSettings } from "#libs/ledger";
import type { TenantConfig } from "../../libs/ledger/protocol/ports.js";
import { accountKey, Accounts, hourOf, type Account } from "./accounts.js";
import { wrongMovements } from "./movements.js";
import { COMMIT_TIMEOUT_MS } from "./process.js";
import type { Writes } from "./tables.js";
import { USERS } from "./workload.js";

export interface Held {
  readonly accounts: readonly { readonly unit: string; readonly account: Account }[];
  row: Reservation;
  /** Virtual time at which it was closed. */
  closed: number;
}

export interface Effect {
  readonly answer: object;
  readonly fingerprint: string;
  /** Virtual time. */
  readonly since: number;
}

/** What the auditor knows of a tenant: what was committed, read without the ledger's rules. */
export interface Ledgered {
  tenant: Tenant;
  settings: TenantSettings;
  readonly own: Map<string, number | null>;
  readonly accounts: Accounts;
  readonly jobs: Map<string, Job>;
  readonly reservations: Map<string, Held>;
  readonly keys: Map<string, Effect>;
  /** `<from> <to>` of every change of the tenant's limits. */
  readonly changes: Set<string>;
}

/**
 * Watches every commit and holds it to the contract's §6, with sums and limits of its own. It says what is wrong and
 * never why; the first finding ends a run.
 */
export class Auditor {
  readonly tenants = new Map<string, Ledgered>();
  readonly findings: string[] = [];
  commits = 0;
  admitted = 0;

  /** How late a sweep may be, milliseconds, while nothing disturbs it. */
  sweptWithinMs = Infinity;

  constructor(
    private readonly time: () => number,
    private readonly recordTime: () => number,
  ) {}

  addTenant({ tenant, settings }: TenantConfig): void {
    this.tenants.set(tenant.id, {
      tenant: { ...tenant },
      settings,
      own: new Map(),
      accounts: new Accounts(),
      jobs: new Map(),
      reservations: new Map(),
      keys: new Map(),
      changes: new Set(),
    });
  }

  find(finding: string): void {
    this.findings.push(finding);
  }

  committed(all: readonly Writes[]): void {
    this.commits += 1;
    for (const writes of all) this.commitOf(this.tenants.get(writes.tenantId)!, writes);
  }

  private commitOf(known: Ledgered, writes: Writes): void {
    const before = known.tenant;
    if (writes.tenant) known.tenant = writes.tenant;
    for (const job of writes.newJobs) known.jobs.set(job.id, job);
    this.checkAdmissible(known, writes, before);
    this.checkMovements(known, writes);
    for (const row of writes.newReservations) known.reservations.set(row.id, this.hold(known, row, writes));
    for (const entry of writes.entries) this.book(known, entry, before);
    for (const row of writes.reservations) this.move(known, row, writes.tenant ?? before);
    for (const job of writes.jobs) known.jobs.set(job.id, job);
    for (const change of writes.settings) this.set(known, change);
    this.checkKeys(known, writes);
    this.checkBalances(known, writes);
  }

  /** Nothing is admitted for a tenant or a job that was not open before this commit. */
  private checkAdmissible({ jobs }: Ledgered, { newReservations, newJobs, tenant }: Writes, before: Tenant): void {
    this.admitted += newReservations.length;
    const admits = newReservations.length + newJobs.length > 0;
    if (admits && before.state !== "active" && !tenant) this.find(`admitted for a tenant that is ${before.state}`);
    for (const { id, jobId, user } of newReservations) {
      const job = jobs.get(jobId);
      if (job?.state !== "open") this.find(`${id} was admitted for a job that is ${job?.state ?? "not there"}`);
      if (job?.user !== user) this.find(`${id} is of another user than its job`);
    }
  }

  /** What was booked of each reservation is what became of it. */
  private checkMovements({ reservations }: Ledgered, writes: Writes): void {
    const rows = [...writes.newReservations, ...writes.reservations];
    for (const row of rows) {
      const before = reservations.get(row.id)?.row ?? null;
      const entries = writes.entries.filter(({ reservationId }) => reservationId === row.id);
      this.findings.push(...wrongMovements(before, row, entries));
    }
    for (const { type, reservationId } of writes.entries) {
      if (type !== "limit" && !rows.some(({ id }) => id === reservationId))
        this.find(`${type} was booked of ${reservationId}, which did not change`);
    }
  }

  /** What is overdue cannot be revived, and for a job or a tenant that has ended nothing is held longer. */
  private checkExtension(before: Reservation, job: Job | undefined, tenant: Tenant): void {
    // Decided under the lock, at most one time-out before it was committed.
    if (before.expiresAt <= this.recordTime() - COMMIT_TIMEOUT_MS)
      this.find(`${before.id} was extended after its deadline`);
    if (job?.state !== "open") this.find(`${before.id} was extended for a job that is ${job?.state}`);
    if (tenant.state !== "active") this.find(`${before.id} was extended for a tenant that is ${tenant.state}`);
  }

  private set(known: Ledgered, change: SettingChange): void {
    const { unit } = change;
    if (change.kind === "tenant") {
      const allowances = { ...known.settings.allowances, [unit]: change.setting };
      known.settings = { ...known.settings, allowances };
    } else if (change.kind === "user") {
      known.own.set(`${change.user} ${unit}`, change.setting.limit);
    } else if (change.kind === "userDefault") {
      const { [unit]: _, ...others } = known.settings.userAllowance;
      known.settings = {
        ...known.settings,
        userAllowance: change.limit === null ? others : { ...others, [unit]: change.limit },
      };
      this.checkDefault(known, unit, change.limit);
    }
  }

  /** A new default has reached every user without a limit of its own, in the window that runs. */
  private checkDefault({ accounts, own, settings }: Ledgered, unit: string, limit: number | null): void {
    const window = settings.allowances[unit]!.period === "hour" ? hourOf(this.recordTime()) : "none";
    for (const user of USERS) {
      if (user === null || own.has(`${user} ${unit}`)) continue;
      const account = accounts.find(accountKey("user", user, unit, window));
      if (account && account.limit !== limit) this.find(`the default of ${limit} did not reach ${user}`);
    }
  }

  /** Which accounts bind a reservation: job, user where there is one, tenant. */
  private hold(known: Ledgered, row: Reservation, writes: Writes): Held {
    const { settings, accounts, own, jobs } = known;
    const list: Held["accounts"][number][] = [];
    for (const unit of Object.keys(row.reserved)) {
      const { period, limit } = settings.allowances[unit]!;
      const window = period === "hour" ? hourOf(row.createdAt) : "none";
      const open = (kind: ScopeKind, id: string, at: string, most: number | null) =>
        list.push({ unit, account: accounts.open(accountKey(kind, id, unit, at), most) });
      open("job", row.jobId, "none", jobs.get(row.jobId)?.allowance[unit] ?? null);
      if (row.user !== null) {
        const set = own.get(`${row.user} ${unit}`);
        open("user", row.user, window, set === undefined ? this.defaultOf(known, row.user, unit, writes) : set);
      }
      open("tenant", known.tenant.id, window, limit);
    }
    for (const { unit, account } of list) account.held += row.reserved[unit]!;
    return { accounts: list, row: { ...row, state: "open" }, closed: Infinity };
  }

  /** The users' default; where this commit changes it, before or after as the user's new balance says. */
  private defaultOf({ settings }: Ledgered, user: string, unit: string, writes: Writes): number | null {
    const before = settings.userAllowance[unit] ?? null;
    const changes = writes.settings.flatMap((one) =>
      one.kind === "userDefault" && one.unit === unit ? [one.limit] : [],
    );
    const start = accountKey("user", user, unit, "");
    const row = writes.balances.find(({ balance, readVersion }) => readVersion === 0 && balance.key.startsWith(start));
    return row && changes.includes(row.balance.limit) ? row.balance.limit : before;
  }

  private book(known: Ledgered, entry: LedgerEntry, before: Tenant): void {
    if (entry.type === "limit") return this.bookLimit(known, entry);
    const held = known.reservations.get(entry.reservationId!);
    if (!held) return this.find(`an entry of ${entry.reservationId}, which is not there`);
    const { row } = held;
    for (const { account } of held.accounts.filter(({ unit }) => unit === entry.unit)) {
      known.accounts.change(account, { reserved: entry.reserved, spent: entry.spent }, this.time());
      const { limit, reserved, spent } = account;
      if (reserved < 0 || spent < 0) this.find(`${row.id}: a negative figure after ${entry.type}`);
      const enforced =
        entry.type === "reserve" && known.tenant.enforcement === "enforce" && before.enforcement === "enforce";
      if (enforced && limit !== null && reserved + spent > limit)
        this.find(`${row.id} was admitted over a limit: ${reserved} + ${spent} of ${limit} ${entry.unit}`);
    }
  }

  private bookLimit({ accounts, changes }: Ledgered, { detail, keys }: LedgerEntry): void {
    const { scope, from, to } = detail as {
      scope: { kind: ScopeKind; id: string };
      from?: number | null;
      to: number | null;
    };
    if (scope.kind === "tenant") changes.add(`${from} ${to}`);
    for (const key of keys) accounts.change(accounts.open(key, from ?? null), { limit: to }, this.time());
  }

  /** A reservation closes once; only an expired one may still be settled, once. */
  private move({ reservations, jobs }: Ledgered, row: Reservation, tenant: Tenant): void {
    const held = reservations.get(row.id);
    if (!held) return this.find(`${row.id} changed and was never admitted`);
    const { state } = held.row;
    const isLegal = state === "open" || (state === "expired" && row.state === "settled");
    if (!isLegal) this.find(`${row.id} went from ${state} to ${row.state}`);
    if (row.state === "open") this.checkExtension(held.row, jobs.get(row.jobId), tenant);
    if (row.state === "expired" && this.sweptWithinMs < row.closedAt! - row.expiresAt)
      this.find(`${row.id} expired ${row.closedAt! - row.expiresAt} ms after its deadline`);
    if (state === "open" && row.state !== "open") {
      for (const { unit, account } of held.accounts) account.held -= row.reserved[unit]!;
    }
    held.row = row;
    if (row.state !== "open") held.closed = this.time();
  }

  /** One key has one effect, and every reservation and job stands under a key. */
  private checkKeys({ keys }: Ledgered, writes: Writes): void {
    const answered = new Set<string>();
    for (const { key, fingerprint, answer } of writes.keys) {
      if (keys.has(key)) this.find(`the key ${key} had a second effect`);
      const parsed = JSON.parse(answer) as { id?: string };
      keys.set(key, { answer: parsed, fingerprint, since: this.time() });
      if (parsed.id !== undefined) answered.add(parsed.id);
    }
    for (const { id } of [...writes.newReservations, ...writes.newJobs]) {
      if (!answered.has(id)) this.find(`${id} stands under no key`);
    }
  }

  /** `reserved` and `spent` of every balance that changed are the sums of what was booked there. */
  private checkBalances({ accounts }: Ledgered, { balances }: Writes): void {
    for (const { balance } of balances) {
      const { key, reserved, spent, limit } = balance;
      const sums = accounts.find(key);
      if (!sums) {
        if (reserved !== 0 || spent !== 0) this.find(`${key} has figures and no entries`);
      } else if (sums.reserved !== reserved || sums.spent !== spent || sums.limit !== limit) {
        const by = `${sums.reserved} + ${sums.spent} of ${sums.limit}`;
        this.find(`${key} is ${reserved} + ${spent} of ${limit}, its entries say ${by}`);
      } else if (sums.held !== reserved) {
        this.find(`${key} has ${reserved} reserved, and ${sums.held} are held`);
      }
    }
  }
}
