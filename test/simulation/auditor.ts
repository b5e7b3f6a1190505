import type { Attempt, Job, LedgerEntry, Reservation, ScopeKind, Tenant, TenantSettings } from "#libs/ledger";
import type { TenantConfig } from "../../libs/ledger/protocol/ports.js";
import { accountKey, Accounts, hourOf, type Account } from "./accounts.js";
import { dueOf, heldAt, spentAt, wrongBelow, wrongIn, type Held } from "./holds.js";
import type { Writes } from "./tables.js";

/** What the auditor knows of a tenant: what was committed, read without the ledger's rules. */
export interface Ledgered {
  tenant: Tenant;
  settings: TenantSettings;
  readonly own: Map<string, number | null>;
  readonly accounts: Accounts;
  readonly jobs: Map<string, Job>;
  readonly reservations: Map<string, Held>;
  /** Those of them that are open. */
  readonly open: Set<Held>;
  /** Virtual times at which jobs ended. */
  readonly ended: Map<string, number>;
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
      open: new Set(),
      ended: new Map(),
      keys: new Map(),
    });
  }

  find(finding: string): void {
    this.findings.push(finding);
  }

  private findAny(finding: string | undefined): void {
    if (finding !== undefined) this.find(finding);
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
    for (const row of writes.newReservations) {
      const held = this.hold(known, row);
      known.reservations.set(row.id, held);
      known.open.add(held);
    }
    for (const attempt of writes.newAttempts) this.charge(known, attempt);
    for (const entry of writes.entries) this.book(known, entry, before);
    for (const row of writes.newReservations) this.checkRow(known.reservations.get(row.id)!, row);
    for (const row of writes.reservations) this.move(known, row);
    for (const job of writes.jobs) this.end(known, job);
    for (const change of writes.settings) {
      if (change.kind !== "tenant") continue;
      const allowances = { ...known.settings.allowances, [change.unit]: change.setting };
      known.settings = { ...known.settings, allowances };
    }
    this.checkKeys(known, writes);
    this.checkBalances(known, writes);
    this.checkEnded(known, writes.jobs);
  }

  /** Nothing is admitted for a tenant or a job that was not open before this commit. */
  private checkAdmissible(known: Ledgered, { newReservations, newJobs, tenant }: Writes, before: Tenant): void {
    const { jobs } = known;
    this.admitted += newReservations.length;
    const admits = newReservations.length + newJobs.length > 0;
    if (admits && before.state !== "active" && !tenant) this.find(`admitted for a tenant that is ${before.state}`);
    for (const job of newJobs) this.findAny(wrongBelow(known, job));
    for (const { id, jobId, user, ancestors } of newReservations) {
      const job = jobs.get(jobId);
      if (job?.ancestors.join() !== ancestors.join()) this.find(`${id} stands in another line than its job`);
      if (job?.state !== "open") this.find(`${id} was admitted for a job that is ${job?.state ?? "not there"}`);
      if (job?.user !== user) this.find(`${id} is of another user than its job`);
    }
  }

  /** Which accounts bind a reservation: job, user where there is one, tenant. */
  private hold(known: Ledgered, row: Reservation): Held {
    const { settings, accounts, own } = known;
    const list: Held["accounts"][number][] = [];
    const keys = new Set<string>();
    for (const unit of Object.keys(row.reserved)) {
      const { period, limit } = settings.allowances[unit]!;
      const window = period === "hour" ? hourOf(row.createdAt) : "none";
      const open = (kind: ScopeKind, id: string, at: string, most: number | null) => {
        keys.add(accountKey(kind, id, unit, at));
        list.push({ unit, account: accounts.open(accountKey(kind, id, unit, at), most) });
      };
      list.push({ unit, account: this.jobAccount(known, row.jobId, unit) });
      keys.add(accountKey("job", row.jobId, unit, "none"));
      if (row.user !== null) {
        const set = own.get(`${row.user} ${unit}`);
        open("user", row.user, window, set === undefined ? (settings.userAllowance[unit] ?? null) : set);
      }
      open("tenant", known.tenant.id, window, limit);
    }
    const none = { attempts: [], closed: Infinity, freed: 0, spent: {} };
    return { accounts: list, keys, row: { ...row, state: "open" }, left: { ...row.reserved }, ...none };
  }

  /** A child has its grant and nothing else. */
  private jobAccount({ accounts, jobs }: Ledgered, id: string, unit: string): Account {
    const job = jobs.get(id);
    const none = job && job.ancestors.length > 0 ? 0 : null;
    return accounts.open(accountKey("job", id, unit, "none"), job?.allowance[unit] ?? none);
  }

  private charge({ reservations }: Ledgered, attempt: Attempt): void {
    const held = reservations.get(attempt.reservationId);
    if (!held) return this.find(`a charge of ${attempt.reservationId}, which is not there`);
    const wrong = wrongIn(held, attempt);
    if (wrong !== undefined) this.find(`${attempt.reservationId} ${wrong}`);
    held.attempts.push(attempt);
  }

  private book(known: Ledgered, entry: LedgerEntry, before: Tenant): void {
    if (entry.type === "limit") return this.bookLimit(known, entry);
    if (entry.type === "grant" || entry.type === "return") return this.bookGrant(known, entry, before);
    const held = known.reservations.get(entry.reservationId!);
    if (!held) return this.find(`an entry of ${entry.reservationId}, which is not there`);
    const { row } = held;
    const { type, unit } = entry;
    const due = dueOf(held, entry);
    if (entry.reserved !== due) this.find(`${row.id}: ${type} moved ${entry.reserved} where ${due} was due`);
    this.keep(held, entry);
    for (const account of this.accountsOf(known, held, entry)) {
      known.accounts.change(account, { reserved: entry.reserved, spent: entry.spent }, this.time());
      const { limit, reserved, spent } = account;
      if (reserved < 0 || spent < 0) this.find(`${row.id}: a negative figure after ${type}`);
      const enforced = type === "reserve" && isEnforced(known, before);
      if (enforced && limit !== null && reserved + spent > limit)
        this.find(`${row.id} was admitted over a limit: ${reserved} + ${spent} of ${limit} ${unit}`);
    }
  }

  private keep(held: Held, { type, unit, reserved, spent }: LedgerEntry): void {
    if (type !== "reserve") held.left[unit] = held.left[unit]! + reserved;
    held.spent[unit] = (held.spent[unit] ?? 0) + spent;
    if (reserved < 0) held.freed = this.time();
  }

  /** Its own, and those of the jobs above as far as the entry names them; the sums tell whether it should. */
  private accountsOf(known: Ledgered, held: Held, { unit, keys }: LedgerEntry): Account[] {
    const own = held.accounts.filter((one) => one.unit === unit).map(({ account }) => account);
    const above = held.row.ancestors.filter((id) => keys.includes(accountKey("job", id, unit, "none")));
    return [...own, ...above.map((id) => this.jobAccount(known, id, unit))];
  }

  /** A grant is held at the parent; when the child ends, the parent gets what the child holds and has spent instead. */
  private bookGrant(known: Ledgered, entry: LedgerEntry, before: Tenant): void {
    const { childJobId } = entry.detail as { childJobId: string };
    const child = known.jobs.get(childJobId);
    if (child?.ancestors[0] !== entry.jobId) return this.find(`a ${entry.type} of ${childJobId} to ${entry.jobId}`);
    const grant = child.allowance[entry.unit] ?? 0;
    const own = this.jobAccount(known, childJobId, entry.unit);
    const due = entry.type === "grant" ? { reserved: grant, spent: 0 } : { ...own, reserved: own.reserved - grant };
    if (entry.reserved !== due.reserved || entry.spent !== due.spent)
      this.find(
        `${childJobId}: ${entry.type} moved ${entry.reserved} + ${entry.spent}, not ${due.reserved} + ${due.spent}`,
      );
    const account = this.jobAccount(known, entry.jobId, entry.unit);
    known.accounts.change(account, { reserved: entry.reserved, spent: entry.spent }, this.time());
    const { limit, reserved, spent } = account;
    const enforced = entry.type === "grant" && isEnforced(known, before);
    if (enforced && limit !== null && reserved + spent > limit)
      this.find(`${childJobId} was granted over a limit: ${reserved} + ${spent} of ${limit} ${entry.unit}`);
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
  private move({ reservations, open }: Ledgered, row: Reservation): void {
    const held = reservations.get(row.id);
    if (!held) return this.find(`${row.id} changed and was never admitted`);
    const { state } = held.row;
    const isLegal = state === "open" || (state === "expired" && (row.state === "settled" || row.state === "expired"));
    if (!isLegal) this.find(`${row.id} went from ${state} to ${row.state}`);
    if (row.expiresAt < held.row.expiresAt) this.find(`${row.id}: its deadline moved back`);
    if (row.state === "expired" && row.closedAt! < row.expiresAt) this.find(`${row.id} expired before its deadline`);
    this.checkRow(held, row);
    if (row.state !== "open") open.delete(held);
    if (row.state !== state) held.closed = this.time();
    held.row = row;
  }

  /** It says that it holds and was charged what it does and was. */
  private checkRow({ left, attempts }: Held, { id, held, charged }: Reservation): void {
    for (const unit of Object.keys(left)) {
      const sum = attempts.reduce((total, { actual }) => total + actual[unit]!, 0);
      if (held[unit] !== left[unit]) this.find(`${id} says that ${held[unit]} are held of it, and ${left[unit]} are`);
      if (charged[unit] !== sum) this.find(`${id} says that ${charged[unit]} were charged to it, and ${sum} were`);
    }
  }

  private end(known: Ledgered, job: Job): void {
    if (known.jobs.get(job.id)?.state !== "open") this.find(`${job.id} ended twice`);
    known.jobs.set(job.id, job);
    known.ended.set(job.id, this.time());
  }

  /** Below a job that has ended nothing is open, and its parent has what it handed over. */
  private checkEnded(known: Ledgered, ended: readonly Job[]): void {
    for (const { id, ancestors } of ended) {
      const open = [...known.jobs.values()].find((job) => job.state === "open" && job.ancestors.includes(id));
      if (open) this.find(`${open.id} is open below ${id}, which has ended`);
      const parent = ancestors[0];
      if (parent === undefined) continue;
      for (const unit of Object.keys(known.settings.allowances)) {
        const { reserved, spent } = this.jobAccount(known, parent, unit);
        const due = [heldAt(known, accountKey("job", parent, unit, "none"), unit), spentAt(known, parent, unit)];
        if (reserved !== due[0] || spent !== due[1])
          this.find(`${parent} has ${reserved} + ${spent} ${unit} after the end of ${id}, not ${due.join(" + ")}`);
      }
    }
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
  private checkBalances(known: Ledgered, { balances }: Writes): void {
    const { accounts } = known;
    for (const { balance } of balances) {
      const { key, unit, reserved, spent, limit } = balance;
      const sums = accounts.find(key);
      if (!sums) {
        if (reserved !== 0 || spent !== 0) this.find(`${key} has figures and no entries`);
      } else if (sums.reserved !== reserved || sums.spent !== spent || sums.limit !== limit) {
        const by = `${sums.reserved} + ${sums.spent} of ${sums.limit}`;
        this.find(`${key} is ${reserved} + ${spent} of ${limit}, its entries say ${by}`);
      } else if (heldAt(known, key, unit) !== reserved) {
        this.find(`${key} has ${reserved} reserved, and ${heldAt(known, key, unit)} are held`);
      }
    }
  }
}

function isEnforced({ tenant }: Ledgered, before: Tenant): boolean {
  return tenant.enforcement === "enforce" && before.enforcement === "enforce";
}
