import { serviceBookId, type AllowanceSetting, type Command, type LedgerLog, type TenantSettings } from "#libs/ledger";
import { commandsOf } from "../support/commands.js";
import { accountKey, hourOf } from "./accounts.js";
import { Answers } from "./answers.js";
import { Auditor } from "./auditor.js";
import { Clients, type Counts } from "./clients.js";
import { disturb, FAULTS, FORGETFUL, type Disturbed } from "./faults.js";
import { SimPostgres } from "./postgres.js";
import { COMMIT_TIMEOUT_MS, SimProcess, SimReconciler, SWEEP_MS } from "./process.js";
import { Random } from "../support/random.js";
import { SimRedis } from "./redis.js";
import { Scheduler } from "./scheduler.js";
import type { Writes } from "./tables.js";
import { Names, serviceWith, setShare, type Known } from "./workload.js";

/** Ten seconds before the hour, so that windows of an hour change in the middle of a run. */
const STARTS_AT = Date.UTC(2026, 4, 12, 11, 59, 55);
/** Virtual milliseconds: of disturbance, and until everything must have come to rest. */
const DISTURBED_MS = 6_500;
const REST_MS = 6_500;
/** Undisturbed, no call to Redis is given up: both ways take less than its time-out. */
const CALM_TAIL_MS = 10;
/** What a sweep takes, and the way of its commands, undisturbed. */
const SLACK_MS = 250;
/** A run that does not come to rest has lost a promise; what is due never ends, since sweeps go on. */
const OVER_MS = 60_000;

export interface Result {
  readonly seed: number;
  /** What is wrong; empty where all holds. */
  readonly findings: readonly string[];
  readonly at: number;
  readonly steps: number;
  readonly commits: number;
  readonly admitted: number;
  readonly acknowledged: number;
  readonly denied: number;
  readonly counts: Counts;
  readonly faults: Readonly<Record<string, number>>;
  /** Of what could be taken while demand exceeded supply, the part that was. */
  readonly utilisation: number;
  /** Depends on everything that happened, in order: the same for the same seed. */
  readonly fingerprint: number;
}

const QUIET: LedgerLog = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** One run: processes, a reconciler, stores, clients and faults, all chosen by the seed. */
export class Simulation {
  private readonly random: Random;
  private readonly scheduler = new Scheduler();
  private readonly names = new Names();
  private readonly auditor = new Auditor(() => this.scheduler.now);
  private readonly answers = new Answers(this.auditor, () => this.scheduler.now);
  private readonly on: Disturbed;
  private readonly services: readonly string[];
  private readonly tenants: readonly Known[];
  private readonly kinds: readonly string[];
  private faults: Readonly<Record<string, number>> = {};
  private utilisation = 1;
  private fingerprint = 0;

  constructor(readonly seed: number) {
    const { scheduler } = this;
    const random = (this.random = new Random(seed));
    this.kinds = random.chance(0.25) ? [] : Object.keys(FAULTS).filter(() => random.chance(0.4));
    if (this.kinds.length === 0) this.auditor.sweptWithinMs = SWEEP_MS + SLACK_MS;
    this.answers.findsRoom =
      this.kinds.length === 0 ? "everywhere" : this.kinds.some((kind) => FORGETFUL.has(kind)) ? "maybe" : "there";
    const committed = (writes: readonly Writes[], now: number): void => {
      this.mix(now + writes.reduce((sum, { entries, balances }) => sum + 31 * entries.length + balances.length, 0));
      this.auditor.committed(writes, now);
    };
    const deadlocked = () => this.auditor.find("a deadlock");
    const postgres = new SimPostgres(scheduler, STARTS_AT, COMMIT_TIMEOUT_MS, committed, deadlocked);
    const redises = [
      new SimRedis("redis", scheduler, STARTS_AT + random.int(-60_000, 60_000)),
      new SimRedis("replica", scheduler, STARTS_AT + random.int(-60_000, 60_000)),
    ] as const;
    const around = { scheduler, random, postgres, log: QUIET, tailMs: this.kinds.length === 0 ? CALM_TAIL_MS : 40 };
    const processes = Array.from(
      { length: random.int(2, 3) },
      (_, i) => new SimProcess(`api ${i + 1}`, around, redises[0]),
    );
    const reconciler = new SimReconciler("reconciler", around, redises[0]);
    const clients = new Clients(scheduler, random, processes, this.answers);
    this.on = { scheduler, random, postgres, redises, processes, reconciler, clients, answers: this.answers };
    this.services = this.addServices();
    this.tenants = this.addTenants();
  }

  async run(): Promise<Result> {
    let isOver = false;
    const story = this.story().then(
      () => (isOver = true),
      (error: unknown) => {
        this.auditor.find(error instanceof Error ? (error.stack ?? error.message) : String(error));
        isOver = true;
      },
    );
    const { scheduler, auditor } = this;
    await scheduler.run(() => isOver || auditor.findings.length > 0 || scheduler.now > OVER_MS);
    if (scheduler.now > OVER_MS) auditor.find("the run did not come to rest");
    if (isOver) await story;
    return this.result();
  }

  /** Disturbance, then rest, then demand that exceeds supply. */
  private async story(): Promise<void> {
    const { scheduler, random, on } = this;
    const disturbing = disturb(on, this.kinds, DISTURBED_MS);
    const isOver = () => scheduler.now >= DISTURBED_MS;
    const lanes = random.int(3, 7);
    const living = Array.from({ length: lanes }, (_, i) =>
      on.clients.live({ ...this.tenants[i % this.tenants.length]!, jobs: [], holdings: [] }, this.names, isOver),
    );
    this.faults = await disturbing;
    await Promise.all(living);
    await scheduler.sleep(REST_MS);
    for (const known of this.tenants) {
      this.expectAtRest(known.tenantId);
      await this.expectRoomIsUsed(known);
    }
    for (const service of this.services) await this.expectRoomIsUsed(this.tenants[0]!, service);
  }

  /** What nobody closed was given back, one sweep after its deadline at the latest. */
  private expectAtRest(tenantId: string): void {
    const now = this.on.postgres.now();
    for (const { row } of this.auditor.tenants.get(tenantId)!.reservations.values()) {
      const overdue = now - row.expiresAt;
      if (row.state === "open" && overdue > SWEEP_MS + SLACK_MS)
        this.auditor.find(`${row.id} is open ${overdue} ms too long`);
    }
  }

  /** Nobody is refused what is there, at the tenant or at a service: demand in small portions takes it all, everywhere. */
  private async expectRoomIsUsed({ tenantId, shares }: Known, service: string | null = null): Promise<void> {
    const { on, names, random } = this;
    const commands = commandsOf(tenantId);
    const must = async (command: Parameters<typeof on.clients.ask>[1]) => {
      const outcome = await on.clients.ask(random.pick(on.processes), command);
      if (outcome?.type !== "done") throw new Error(`once at rest, ${command.type} got ${JSON.stringify(outcome)}`);
      return outcome.answer as { id: string; balance?: { reserved: number; spent: number } };
    };
    await must(commands.configure({ change: "state", state: "active" }));
    const { balance } = await must(commands.setLimit(1_000_000));
    const supply = 60;
    if (service === null) await must(commands.setLimit(balance!.reserved + balance!.spent + supply));
    else for (const command of this.roomAt(service, supply, { tenantId, shares })) await must(command);
    // The limit has no period any more, and what a process remembers of the settings may be a second old.
    await this.on.scheduler.sleep(1_000);
    const jobs: string[] = [];
    for (let i = 0; i < 6; i += 1) {
      jobs.push((await must(commands.createJob({ jobId: names.next("job"), key: names.key() }))).id);
    }
    let taken = 0;
    const demand = Array.from({ length: 40 }, async () => {
      const amount = random.int(1, 4);
      const reserve = () =>
        commands.reserve(random.pick(jobs), amount, {
          reservationId: names.next("rsv"),
          key: names.key(),
          service,
          ttlMs: 20_000,
        });
      const outcome = await on.clients.ask(random.pick(on.processes), reserve());
      if (outcome?.type === "done") taken += amount;
    });
    await Promise.all(demand);
    this.utilisation = Math.min(this.utilisation, taken / supply);
    if (taken < 0.9 * supply) this.auditor.find(`of ${supply} only ${taken} were taken, though more was asked for`);
    await this.expectCopiesAreRight(service === null ? tenantId : serviceBookId(service));
  }

  /** Sets the limits of a service so that so much is left: of the tenant's share, where it has one, and else of the whole. */
  private roomAt(service: string, room: number, { tenantId, shares }: Pick<Known, "tenantId" | "shares">): Command[] {
    const plenty = 1_000_000;
    const { bookId, allowances: all } = serviceWith(service, plenty);
    const taken = (book: string, isHourly: boolean): number => {
      const key = accountKey("service", service, "tokens", isHourly ? hourOf(this.on.postgres.now()) : "none");
      const account = this.auditor.tenants.get(book)!.accounts.find(key);
      return (account?.reserved ?? 0) + (account?.spent ?? 0);
    };
    const set = (allowances: typeof all) => commandsOf(bookId).configure({ change: "service", allowances, flow: {} });
    const share = shares[service]?.["tokens"];
    if (!share) return [set(serviceWith(service, taken(bookId, all.tokens.period === "hour") + room).allowances)];
    return [set(all), setShare(tenantId, shares, service, taken(tenantId, share.period === "hour") + room)];
  }

  private async expectCopiesAreRight(bookId: string): Promise<void> {
    for (const process of this.on.processes) {
      const wrong = await process.wrongCopies(bookId);
      if (wrong > 0) this.auditor.find(`${process.name} sees ${wrong} wrong copies`);
    }
  }

  /** None, one, or two, of which each counts by the hour or for good. */
  private addServices(): string[] {
    const { random, names } = this;
    return Array.from({ length: random.pick([0, 1, 2]) }, () => {
      const name = `${names.next("svc")}-${random.pick(["h", "n"])}`;
      const { bookId, allowances } = serviceWith(name, random.int(30, 120));
      this.addBook(bookId, { allowances, shares: {}, userAllowance: {}, jobAllowance: {} }, "enforce");
      return name;
    });
  }

  private addTenants(): Known[] {
    const { random, names } = this;
    return Array.from({ length: random.int(1, 3) }, (_, i) => {
      const tenantId = names.next("ten");
      const period = random.chance(0.3) ? "hour" : "none";
      const settings: TenantSettings = {
        allowances: {
          tokens: { limit: random.int(60, 160), period, timeZone: "UTC" },
          ...(i === 0 && { calls: { limit: 30, period: "none", timeZone: "UTC" } }),
        },
        shares: this.someShares(),
        userAllowance: random.chance(0.6) ? { tokens: random.int(20, 90) } : {},
        jobAllowance: random.chance(0.4) ? { tokens: random.int(40, 90) } : {},
      };
      const enforcement = random.chance(0.9) ? "enforce" : "observe";
      this.addBook(tenantId, settings, enforcement);
      return { tenantId, services: this.services, shares: settings.shares, jobs: [], holdings: [] };
    });
  }

  /** What a tenant may take at a service itself: at about half of them, by the hour or for good. */
  private someShares(): TenantSettings["shares"] {
    const { random } = this;
    const share = (): AllowanceSetting => {
      const period = random.chance(0.3) ? "hour" : "none";
      return { limit: random.int(10, 60), period, timeZone: "UTC" };
    };
    const shared = this.services.filter(() => random.chance(0.5));
    return Object.fromEntries(shared.map((service) => [service, { tokens: share() }]));
  }

  private addBook(id: string, settings: TenantSettings, enforcement: "enforce" | "observe"): void {
    const more = { enforcement, configVersion: 1, createdAt: STARTS_AT, deletedAt: null };
    const tenant = { id, name: "a", state: "active" as const, ...more };
    this.on.postgres.addTenant({ tenant: { ...tenant }, settings });
    this.auditor.addTenant({ tenant, settings });
  }

  private mix(value: number): void {
    this.fingerprint = (Math.imul(this.fingerprint ^ Math.floor(value), 0x01000193) + this.scheduler.steps) >>> 0;
  }

  private result(): Result {
    const { seed, scheduler, auditor, answers, faults, utilisation, fingerprint } = this;
    const { findings, commits, admitted } = auditor;
    const { acknowledged, denied } = answers;
    const { counts } = this.on.clients;
    const at = Math.round(scheduler.now);
    return {
      seed,
      findings,
      at,
      steps: scheduler.steps,
      commits,
      admitted,
      acknowledged,
      denied,
      counts,
      faults,
      utilisation,
      fingerprint,
    };
  }
}
