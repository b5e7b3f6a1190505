import type { Job, LedgerEntry, Reservation, ScopeKind, Tenant, TenantSettings } from "#libs/ledger";
import type { TenantConfig } from "../../libs/ledger/protocol/ports.js";
import { accountKey, Accounts, hourOf, type Account } from "./accounts.js";
import type { Writes } from "./tables.js";

export interface Held {
  readonly accounts: readonly { readonly unit: string; readonly account: Account }[];
  row: Reservation;
  /** Virtual time at which it was closed. */
  closed: number;
}

/** What the auditor knows of a tenant: what was committed, read without the ledger's rules. */
export interface Ledgered {
  tenant: Tenant;
  settings: TenantSettings;
  readonly own: Map<string, number | null>;
  readonly accounts: Accounts;
  readonly jobs: Map<string, Job>;
  readonly reservations: Map<string, Held>;
  readonly keys: Map<string, object>;
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

  constructor(private readonly time: () => number) {}

  addTenant({ tenant, settings }: TenantConfig): void {
    this.tenants.set(tenant.id, {
      tenant: { ...tenant },
      settings,
      own: new Map(),
      accounts: new Accounts(),
      jobs: new Map(),
      reservations: new Map(),
      keys: new Map(),
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
    for (const row of writes.newReservations) known.reservations.set(row.id, this.hold(known, row));
    for (const entry of writes.entries) this.book(known, entry, before);
    for (const row of writes.reservations) this.move(known, row);
    for (const job of writes.jobs) known.jobs.set(job.id, job);
    for (const change of writes.settings) {
      if (change.kind !== "tenant") continue;
      const allowances = { ...known.settings.allowances, [change.unit]: change.setting };
      known.settings = { ...known.settings, allowances };
    }
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

  /** Which accounts bind a reservation: job, user where there is one, tenant. */
  private hold(known: Ledgered, row: Reservation): Held {
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
        open("user", row.user, window, set === undefined ? (settings.userAllowance[unit] ?? null) : set);
      }
      open("tenant", known.tenant.id, window, limit);
    }
    for (const { unit, account } of list) account.held += row.reserved[unit]!;
    return { accounts: list, row: { ...row, state: "open" }, closed: Infinity };
  }

  private book(known: Ledgered, entry: LedgerEntry, before: Tenant): void {
    if (entry.type === "limit") return this.bookLimit(known, entry);
    const held = known.reservations.get(entry.reservationId!);
    if (!held) return this.find(`an entry of ${entry.reservationId}, which is not there`);
    const { row } = held;
    const due = row.reserved[entry.unit] ?? 0;
    const isTaken = entry.type === "reserve" ? entry.reserved === due : entry.reserved === -due || entry.reserved === 0;
    if (!isTaken) this.find(`${row.id}: ${entry.type} moved ${entry.reserved} of the ${due} reserved`);
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

  private bookLimit({ accounts, own }: Ledgered, { detail, unit, keys }: LedgerEntry): void {
    const { scope, from, to } = detail as {
      scope: { kind: ScopeKind; id: string };
      from?: number | null;
      to: number | null;
    };
    if (scope.kind === "user") own.set(`${scope.id} ${unit}`, to);
    for (const key of keys) accounts.change(accounts.open(key, from ?? null), { limit: to }, this.time());
  }

  /** A reservation closes once; only an expired one may still be settled, once. */
  private move({ reservations }: Ledgered, row: Reservation): void {
    const held = reservations.get(row.id);
    if (!held) return this.find(`${row.id} changed and was never admitted`);
    const { state } = held.row;
    const isLegal = state === "open" || (state === "expired" && row.state === "settled");
    if (!isLegal) this.find(`${row.id} went from ${state} to ${row.state}`);
    if (row.expiresAt < held.row.expiresAt) this.find(`${row.id}: its deadline moved back`);
    if (row.state === "expired" && row.closedAt! < row.expiresAt) this.find(`${row.id} expired before its deadline`);
    if (state === "open" && row.state !== "open") {
      for (const { unit, account } of held.accounts) account.held -= row.reserved[unit]!;
    }
    held.row = row;
    if (row.state !== "open") held.closed = this.time();
  }

  /** One key has one effect, and every reservation and job stands under a key. */
  private checkKeys({ keys }: Ledgered, writes: Writes): void {
    const answered = new Set<string>();
    for (const { key, answer } of writes.keys) {
      if (keys.has(key)) this.find(`the key ${key} had a second effect`);
      const parsed = JSON.parse(answer) as { id?: string };
      keys.set(key, parsed);
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
