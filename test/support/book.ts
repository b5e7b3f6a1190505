import {
  decide,
  fits,
  MAX_AMOUNT,
  serviceOfBook,
  TenantBook,
  unitOfKey,
  type AllowanceSetting,
  type Balance,
  type Command,
  type Enforcement,
  type Outcome,
  type Refusal,
  type Reservation,
  type Reserve,
  type Tenant,
} from "../../libs/ledger/domain/index.js";
import { commandsOf, fresh, type Commands } from "./commands.js";

/** Tuesday, 12 May 2026, 12:00 UTC. */
export const NOON = Date.UTC(2026, 4, 12, 12);

export interface BookSettings {
  readonly enforcement?: Enforcement;
  readonly state?: Tenant["state"];
  /** A bare limit has no period; null is unlimited. */
  readonly allowances?: Readonly<Record<string, number | null | AllowanceSetting>>;
  readonly userAllowance?: Record<string, number>;
  readonly jobAllowance?: Record<string, number>;
  readonly shares?: Readonly<Record<string, Readonly<Record<string, number | null | AllowanceSetting>>>>;
}

export function settingOf(given: number | null | AllowanceSetting): AllowanceSetting {
  return typeof given === "object" && given !== null ? given : { limit: given, period: "none", timeZone: "UTC" };
}

function settingsOf(given: NonNullable<BookSettings["allowances"]>): Record<string, AllowanceSetting> {
  return Object.fromEntries(Object.entries(given).map(([unit, one]) => [unit, settingOf(one)]));
}

/**
 * A whole ledger of one tenant in memory, or the book of a service. By default 1 000 tokens and no other limit. `books`:
 * where it finds the books of services, and is put.
 */
export function bookOf(
  settings: BookSettings = {},
  tenantId = fresh("ten"),
  books: WholeBooks = new Map(),
): TenantBook {
  const { enforcement = "enforce", state = "active", allowances = { tokens: 1_000 } } = settings;
  const book = new TenantBook(tenantId, true, books);
  books.set(tenantId, book);
  const name = serviceOfBook(tenantId) ?? "a";
  book.tenant = { id: tenantId, name, enforcement, state, configVersion: 1, createdAt: NOON, deletedAt: null };
  if (serviceOfBook(tenantId) !== null) book.flows.rows.set(name, {});
  book.settings = {
    allowances: settingsOf(allowances),
    shares: Object.fromEntries(Object.entries(settings.shares ?? {}).map(([name, share]) => [name, settingsOf(share)])),
    userAllowance: settings.userAllowance ?? {},
    jobAllowance: settings.jobAllowance ?? {},
  };
  return book;
}

/** Whole books by their ids, each of which sees the others. */
export type WholeBooks = Map<string, TenantBook>;

/** A book under test: every command that it decides is checked against what must always hold. */
export class Books {
  readonly book: TenantBook;
  readonly commands: Commands;
  now = NOON;

  constructor(settings: BookSettings = {}, books: WholeBooks = new Map()) {
    this.book = bookOf(settings, undefined, books);
    this.commands = commandsOf(this.book.tenantId);
  }

  run(command: Command): Outcome {
    const before = snapshot(this.book);
    const outcome = decide(this.book, command, this.now);
    if (outcome.type === "refused") expect(snapshot(this.book)).toEqual(before);
    else if (command.type === "reserve" && !outcome.replayed) expectWithinLimits(this.book, command);
    expectSound(this.book);
    return outcome;
  }

  /** The answer of a command that must be done. */
  done(command: Command): Record<string, unknown> {
    const outcome = this.run(command);
    if (outcome.type !== "done") throw new Error(`${command.type} was refused: ${outcome.refusal.code}`);
    return outcome.answer as Record<string, unknown>;
  }

  /** The refusal of a command that must be refused. */
  refused(command: Command): Refusal {
    const outcome = this.run(command);
    if (outcome.type !== "refused")
      throw new Error(`${command.type} was not refused: ${JSON.stringify(outcome.answer)}`);
    return outcome.refusal;
  }

  /** The id of a new job. */
  job(fields: Parameters<Commands["createJob"]>[0] = {}): string {
    return this.done(this.commands.createJob(fields))["id"] as string;
  }

  /** The id of a new reservation, of a new job unless one is named. */
  hold(ask: Parameters<Commands["reserve"]>[1], { jobId = this.job(), ...fields }: Partial<Reserve> = {}): string {
    return this.done(this.commands.reserve(jobId, ask, fields))["id"] as string;
  }

  /** `[reserved, spent]` of a balance, by the beginning of its key; `[0, 0]` where nothing was ever taken. */
  taken(start: string): [number, number] {
    const row = this.balance(start);
    return row ? [row.reserved, row.spent] : [0, 0];
  }

  balance(start: string): Balance | undefined {
    return balancesIn(this.book).find(({ key }) => key.startsWith(start));
  }

  tenant(unit = "tokens"): [number, number] {
    return this.taken(`tenant:${this.book.tenantId}:${unit}:`);
  }
}

/** Everything that a command could have changed. */
export function snapshot(book: TenantBook): object {
  const { tenant, settings, jobs, reservations, attempts, balances, keys, users, flows, changes } = book;
  const rows = [jobs, reservations, attempts, balances, keys, users, flows].map((table) => table.rows);
  return structuredClone({ tenant, settings, rows, changes });
}

export function balancesIn(book: TenantBook): Balance[] {
  return [...book.balances.rows.values()].filter((row) => row !== null);
}

export function reservationsIn(book: TenantBook): Reservation[] {
  return [...book.reservations.rows.values()].filter((row) => row !== null);
}

/** What holds always: no figure is negative, `reserved` is what open reservations hold, `spent` is what entries say. */
export function expectSound(book: TenantBook): void {
  const { entries } = book.changes;
  for (const { key, reserved, spent, limit } of balancesIn(book)) {
    const unit = unitOfKey(key);
    const moved = entries.filter(({ keys }) => keys.includes(key));
    const figures = {
      key,
      reserved: sum([...heldAt(book, key, unit), ...grantedAt(book, key, unit)]),
      spent: sum(moved.map((entry) => entry.spent)),
    };
    expect({ key, reserved, spent }).toEqual(figures);
    expect(sum(moved.map((entry) => entry.reserved))).toBe(reserved);
    expect(Math.min(reserved, spent, limit ?? 0)).toBeGreaterThanOrEqual(0);
    expect(Math.max(reserved, spent)).toBeLessThanOrEqual(MAX_AMOUNT);
  }
  for (const one of reservationsIn(book)) expectClosedOnce(book, one);
}

/** What open reservations hold there: in the jobs that it is of, as far as all below it have ended, and in their own. */
function heldAt(book: TenantBook, key: string, unit: string): number[] {
  return reservationsIn(book)
    .filter((one) => one.state === "open" && unit in one.held)
    .filter((one) => one.keys.includes(key) || handedTo(book, one).some((id) => key === `job:${id}:${unit}:none`))
    .map((one) => one.held[unit]!);
}

/** The ancestors below which every job of the reservation's line has ended. */
function handedTo(book: TenantBook, { jobId, ancestors }: Reservation): string[] {
  const line = [jobId, ...ancestors];
  return ancestors.filter((_, i) => line.slice(0, i + 1).every((id) => book.jobs.find(id)!.state !== "open"));
}

function grantedAt(book: TenantBook, key: string, unit: string): number[] {
  return [...book.jobs.rows.values()]
    .filter((job) => job?.state === "open" && key === `job:${job.ancestors[0]}:${unit}:none`)
    .map((job) => job!.allowance[unit] ?? 0);
}

/** A reservation is taken once and closed once, each of its attempts is charged once, and it holds what is left. */
function expectClosedOnce(book: TenantBook, { id, state, held, charged }: Reservation): void {
  const entries = book.changes.entries.filter(({ reservationId }) => reservationId === id);
  for (const unit of Object.keys(held)) {
    const of = entries.filter((entry) => entry.unit === unit);
    const charges = of.filter(({ type }) => type === "charge");
    const others = of.filter(({ type }) => type !== "charge");
    const count = (test: (entry: (typeof of)[number]) => boolean) => others.filter(test).length;
    expect(held[unit]).toBe(sum(of.map(({ reserved }) => reserved)));
    expect(charged[unit]).toBe(sum(charges.map(({ spent }) => spent)));
    expect(state === "open" || held[unit] === 0).toBe(true);
    expect(count(({ reserved }) => reserved > 0)).toBeLessThanOrEqual(1);
    expect(count(({ reserved }) => reserved < 0)).toBeLessThanOrEqual(1);
    expect(count(({ spent }) => spent > 0)).toBeLessThanOrEqual(1);
    expect(new Set(charges.map(({ detail }) => JSON.stringify(detail))).size).toBe(charges.length);
  }
}

/** At the moment of an admission under `enforce`, every scope is within its limit in every unit. */
function expectWithinLimits(book: TenantBook, { reservationId }: Reserve): void {
  const reservation = book.reservations.find(reservationId);
  if (!reservation || book.tenant!.enforcement !== "enforce") return;
  for (const key of reservation.keys) expect(fits(book.balances.find(key)!, 0)).toBe(true);
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}
