import type { Attempt, Instant, Job, LedgerEntry, Reservation, ScopeKind, Tenant, TenantSettings } from "#libs/ledger";
import type { TenantConfig } from "../../libs/ledger/protocol/ports.js";
import { accountKey, Accounts, hourOf } from "./accounts.js";
import {
  accountsOf,
  dueOf,
  heldAt,
  jobAccount,
  wrongBelow,
  isEnforced,
  wrongEnd,
  wrongExtension,
  wrongGrant,
  wrongIn,
  wrongTimes,
  type Held,
} from "./holds.js";
import { defaultOf, wrongSettings } from "./limits.js";
import { accountsAtService, AtServices, heldForService, shareBinding, unmirrored } from "./at-services.js";
import type { Writes } from "./tables.js";

export interface Effect {
  readonly answer: object;
  readonly fingerprint: string;
  /** Virtual time. */
  readonly since: number;
}

/** What the auditor knows of a tenant, or of a service by the id of its book: what was committed, read without the ledger's rules. */
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
  /** What the clock of the record said where the transaction began: it may have been set back since. */
  private decidedAt: Instant = 0;

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
      changes: new Set(),
    });
  }

  /** undefined: nothing is wrong. */
  find(finding: string | undefined): void {
    if (finding !== undefined) this.findings.push(finding);
  }

  private findAll(findings: readonly string[]): void {
    this.findings.push(...findings);
  }

  committed(all: readonly Writes[], decidedAt: Instant): void {
    this.decidedAt = decidedAt;
    this.commits += 1;
    const before = new Map(all.map(({ tenantId }) => [tenantId, this.tenants.get(tenantId)!.tenant]));
    const services = all.filter(({ tenantId }) => tenantId.startsWith("service:"));
    const tenants = all.filter((writes) => !services.includes(writes));
    for (const writes of tenants) this.commitOf(this.tenants.get(writes.tenantId)!, writes);
    const atServices = new AtServices(this, before, this.time());
    for (const writes of services) {
      const known = this.tenants.get(writes.tenantId)!;
      atServices.book(known, writes);
      this.findAll(wrongSettings(known, writes.settings, decidedAt));
      this.checkBalances(known, writes);
    }
    this.findAll(unmirrored(this, tenants, services));
  }

  private commitOf(known: Ledgered, writes: Writes): void {
    const before = known.tenant;
    if (writes.tenant) known.tenant = writes.tenant;
    for (const job of writes.newJobs) known.jobs.set(job.id, job);
    this.checkAdmissible(known, writes, before);
    for (const row of writes.newReservations) {
      const held = this.hold(known, row, writes);
      known.reservations.set(row.id, held);
      known.open.add(held);
    }
    for (const attempt of writes.newAttempts) this.charge(known, attempt);
    for (const entry of writes.entries) this.book(known, entry, before);
    for (const row of writes.reservations) this.move(known, row, writes.tenant ?? before);
    for (const row of writes.newReservations) this.checkRow(known.reservations.get(row.id)!, row);
    this.checkBooked(known, writes.entries);
    for (const job of writes.jobs) this.end(known, job);
    this.findAll(wrongSettings(known, writes.settings, this.decidedAt));
    this.checkKeys(known, writes);
    this.checkBalances(known, writes);
    for (const job of writes.jobs) this.findAll(wrongEnd(known, job));
  }

  /** Nothing is admitted for a tenant or a job that was not open before this commit. */
  private checkAdmissible(known: Ledgered, { newReservations, newJobs, tenant }: Writes, before: Tenant): void {
    const { jobs } = known;
    this.admitted += newReservations.length;
    const admits = newReservations.length + newJobs.length > 0;
    if (admits && before.state !== "active" && !tenant) this.find(`admitted for a tenant that is ${before.state}`);
    for (const job of newJobs) this.find(wrongBelow(known, job));
    for (const { id, jobId, user, ancestors } of newReservations) {
      const job = jobs.get(jobId);
      if (job?.ancestors.join() !== ancestors.join()) this.find(`${id} stands in another line than its job`);
      if (job?.state !== "open") this.find(`${id} was admitted for a job that is ${job?.state ?? "not there"}`);
      if (job?.user !== user) this.find(`${id} is of another user than its job`);
    }
  }

  /** Which accounts bind a reservation: job, user where there is one, the share of its service, tenant. */
  private hold(known: Ledgered, row: Reservation, writes: Writes): Held {
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
      list.push({ unit, account: jobAccount(known, row.jobId, unit) });
      keys.add(accountKey("job", row.jobId, unit, "none"));
      if (row.user !== null) {
        const set = own.get(`${row.user} ${unit}`);
        open("user", row.user, window, set === undefined ? defaultOf(known, row.user, unit, writes) : set);
      }
      const share = shareBinding(settings, row, unit);
      if (share) open("service", row.service!, share.window, share.limit);
      open("tenant", known.tenant.id, window, limit);
    }
    const none = { attempts: [], closed: Infinity, freed: 0, spent: {} };
    const service = accountsAtService(this, row);
    return { accounts: list, keys, service, row: { ...row, state: "open" }, left: { ...row.reserved }, ...none };
  }

  private charge({ reservations }: Ledgered, attempt: Attempt): void {
    const held = reservations.get(attempt.reservationId);
    if (!held) return this.find(`a charge of ${attempt.reservationId}, which is not there`);
    this.find(wrongIn(held, attempt));
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
    for (const account of accountsOf(known, held, entry)) {
      known.accounts.change(account, { reserved: entry.reserved, spent: entry.spent }, this.time());
      const { limit, reserved, spent } = account;
      if (reserved < 0 || spent < 0) this.find(`${row.id}: a negative figure after ${type}`);
      const enforced = type === "reserve" && isEnforced(known.tenant, before);
      if (enforced && limit !== null && reserved + spent > limit)
        this.find(`${row.id} was admitted over a limit: ${reserved} + ${spent} of ${limit} ${unit}`);
    }
  }

  private keep(held: Held, { type, unit, reserved, spent }: LedgerEntry): void {
    if (type !== "reserve") held.left[unit] = held.left[unit]! + reserved;
    held.spent[unit] = (held.spent[unit] ?? 0) + spent;
    if (reserved < 0) held.freed = this.time();
  }

  /** A grant is held at the parent; when the child ends, the parent gets what the child holds and has spent instead. */
  private bookGrant(known: Ledgered, entry: LedgerEntry, before: Tenant): void {
    const { childJobId } = entry.detail as { childJobId: string };
    this.find(wrongGrant(known, entry, childJobId));
    if (entry.jobId === null) return;
    const account = jobAccount(known, entry.jobId, entry.unit);
    known.accounts.change(account, { reserved: entry.reserved, spent: entry.spent }, this.time());
    const { limit, reserved, spent } = account;
    const enforced = entry.type === "grant" && isEnforced(known.tenant, before);
    if (enforced && limit !== null && reserved + spent > limit)
      this.find(`${childJobId} was granted over a limit: ${reserved} + ${spent} of ${limit} ${entry.unit}`);
  }

  bookLimit({ accounts, changes }: Ledgered, { detail, keys }: LedgerEntry): void {
    const { scope, from, to } = detail as {
      scope: { kind: ScopeKind; id: string };
      from?: number | null;
      to: number | null;
    };
    if (scope.kind === "tenant") changes.add(`${from} ${to}`);
    for (const key of keys) accounts.change(accounts.open(key, from ?? null), { limit: to }, this.time());
  }

  /** A reservation closes once; only an expired one may still be settled, once. */
  private move({ reservations, open, jobs }: Ledgered, row: Reservation, tenant: Tenant): void {
    const held = reservations.get(row.id);
    if (!held) return this.find(`${row.id} changed and was never admitted`);
    const { state } = held.row;
    const isLegal = state === "open" || (state === "expired" && (row.state === "settled" || row.state === "expired"));
    if (!isLegal) this.find(`${row.id} went from ${state} to ${row.state}`);
    const extended = row.expiresAt > held.row.expiresAt;
    if (extended) this.findAll(wrongExtension(held.row, jobs.get(row.jobId), tenant, this.decidedAt));
    this.findAll(wrongTimes(held.row, row));
    if (state === "open" && row.state === "expired" && this.sweptWithinMs < row.closedAt! - row.expiresAt)
      this.find(`${row.id} expired ${row.closedAt! - row.expiresAt} ms after its deadline`);
    this.checkRow(held, row);
    if (row.state !== "open") open.delete(held);
    if (row.state !== state) held.closed = this.time();
    held.row = row;
  }

  /** What an entry moved is what its reservation says, though the reservation itself was not written. */
  private checkBooked({ reservations }: Ledgered, entries: readonly LedgerEntry[]): void {
    for (const id of new Set(entries.map(({ reservationId }) => reservationId))) {
      const held = id === null ? undefined : reservations.get(id);
      if (held) this.checkRow(held, held.row);
    }
  }

  /** It says that it holds and was charged what it does and was, and what was spent is what was charged and settled. */
  private checkRow({ left, spent, attempts }: Held, { id, held, charged, actual }: Reservation): void {
    for (const unit of Object.keys(left)) {
      const sum = attempts.reduce((total, { actual }) => total + actual[unit]!, 0);
      if (held[unit] !== left[unit]) this.find(`${id} says that ${held[unit]} are held of it, and ${left[unit]} are`);
      const used = sum + (actual?.[unit] ?? 0);
      if ((spent[unit] ?? 0) !== used) this.find(`${id} moved ${spent[unit] ?? 0} ${unit} of spent, not ${used}`);
      if (charged[unit] !== sum) this.find(`${id} says that ${charged[unit]} were charged to it, and ${sum} were`);
    }
  }

  private end(known: Ledgered, job: Job): void {
    if (known.jobs.get(job.id)?.state !== "open") this.find(`${job.id} ended twice`);
    known.jobs.set(job.id, job);
    known.ended.set(job.id, this.time());
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
      } else {
        const held = known.tenant.id.startsWith("service:")
          ? heldForService(this, key, unit)
          : heldAt(known, key, unit);
        if (held !== reserved) this.find(`${key} has ${reserved} reserved, and ${held} are held`);
      }
    }
  }
}
