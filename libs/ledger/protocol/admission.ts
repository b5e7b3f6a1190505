import {
  denialOf,
  lookUp,
  placesOf,
  serviceBookId,
  servicePlaces,
  sizeOf,
  unwritten,
  type Balance,
  type Binding,
  type Bound,
  type BoundFigures,
  type Denial,
  type Grounds,
  type Place,
  type Reserve,
  type SizedAsk,
} from "../domain/index.js";
import type { Copies } from "./copies.js";
import type { Directory } from "./directory.js";
import { Gather } from "./gather.js";
import type { Hold, JudgedCopy, RecordStore, TenantConfig, TenantRow, Verdict } from "./ports.js";
import type { Runtime } from "./runtime.js";

/**
 * Refuses from copies alone what cannot be admitted, so that a runaway agent costs the record nothing. Everything that is
 * not plainly refused by fresh copies is left to the record: an unknown tenant, job, unit or service, a tenant that only observes,
 * a missing copy, a Redis that does not answer.
 */
export class Admission {
  private readonly findBalance: Gather<TenantRow, Balance | null>;

  constructor(
    record: RecordStore,
    private readonly directory: Directory,
    private readonly copies: Copies,
    private readonly runtime: Runtime,
    /** The record's time, estimated. */
    private readonly now: () => number,
  ) {
    this.findBalance = new Gather(runtime, (rows) => record.findBalances(rows));
  }

  /** Why the command is denied, or null where the record must decide. */
  async denial(command: Reserve): Promise<Grounds | null> {
    if (this.copies.state === "off") return null;
    const binding = await this.bindingOf(command);
    const ask = sizeOf(command.ask);
    if (!binding || !ask) return null;
    const units = Object.keys(ask.total);
    if (units.some((unit) => !lookUp(binding.settings.allowances, unit))) return null;
    const service = command.service === null ? [] : await this.placesAt(command.service, units);
    if (!service) return null;
    const children = command.admit === "partial" ? 1 : ask.children;
    const bounds = await this.refusing([
      holdsAt(command.tenantId, placesOf(binding, units, this.now()), ask, children),
      ...(service.length > 0 ? [holdsAt(serviceBookId(command.service!), service, ask, children)] : []),
    ]);
    const denial = denialOf(ask, children, bounds);
    if (!denial || !(await this.directory.isOpen(command.tenantId, command.jobId))) return null;
    if (restsOnDefault(denial, bounds) && !(await this.directory.isCurrent(binding))) return null;
    const at = this.now();
    const requested = (unit: string) => ask.perChild[unit]! * children;
    const figures = bounds.map((bound) => figuresOf(bound, requested(bound.unit), at));
    return { denial, source: "copies", at, user: binding.job.user, figures };
  }

  /** What names the balances that may refuse; null where copies may not. */
  private async bindingOf({ tenantId, jobId, service }: Reserve): Promise<(Binding & TenantConfig) | null> {
    const found = this.directory.tenant(tenantId);
    const config = found instanceof Promise ? await found : found;
    if (config?.tenant.state !== "active" || config.tenant.enforcement !== "enforce") return null;
    const looked = this.directory.job(tenantId, jobId);
    const job = looked instanceof Promise ? await looked : looked;
    if (job?.state !== "open") return null;
    const limits = this.directory.own(tenantId, job.user);
    const own = limits instanceof Promise ? await limits : limits;
    return { tenantId, tenant: config.tenant, settings: config.settings, job, own, service };
  }

  /** What binds work at the service; null where there is no such service. */
  private async placesAt(service: string, units: readonly string[]): Promise<Place[] | null> {
    const found = this.directory.tenant(serviceBookId(service));
    const config = found instanceof Promise ? await found : found;
    return config && servicePlaces(serviceBookId(service), config.settings, units, this.now());
  }

  /** What binds the ask where fresh copies refuse it; nothing where they refuse nowhere, or not for sure. */
  private async refusing(books: readonly Held[]): Promise<Bounded[]> {
    const verdicts = await Promise.all(books.map((book) => this.judge(book)));
    const refused = verdicts.some(({ status }) => status === "denied");
    // Of several allowances that refuse the rules name one, so all must be known.
    const sure = refused ? await Promise.all(verdicts.map((one, i) => this.sureOf(one, books[i]!))) : [];
    const bounds: Bounded[] = [];
    for (const [i, verdict] of sure.entries()) {
      if (verdict.status !== "denied" && verdict.status !== "fits") return [];
      const those = boundsAt(books[i]!, verdict.copies);
      // A balance that was never written has no version that would tell that the limit set for it has changed.
      if (verdict.status === "denied" && those.some(isOutdated)) return [];
      bounds.push(...those);
    }
    return bounds;
  }

  private async judge(book: Held): Promise<Verdict> {
    const verdict = await this.copies.judge(book.id, book.holds);
    return verdict.status === "stale" ? this.judgeAnew(book) : verdict;
  }

  private async sureOf(verdict: Verdict, book: Held): Promise<Verdict> {
    return verdict.status === "unsure" ? this.judgeAnew(book) : verdict;
  }

  private async judgeAnew({ id, places, holds }: Held): Promise<Verdict> {
    await this.refresh(id, places);
    return this.copies.judge(id, holds);
  }

  /** Reads the record again; those who wait at the same time share one look. */
  private async refresh(tenantId: string, places: readonly Place[]): Promise<void> {
    const readAt = this.runtime.now();
    const rows = await Promise.all(places.map(({ key }) => this.findBalance.find({ tenantId, id: key })));
    await this.copies.remember(
      tenantId,
      places.map((place, i) => rows[i] ?? unwritten(place)),
      readAt,
      "stale",
    );
  }
}

/** What an ask would hold in one book. */
interface Held {
  readonly id: string;
  readonly places: readonly Place[];
  readonly holds: readonly Hold[];
}

interface Bounded extends Bound {
  readonly figures: JudgedCopy;
  readonly bookId: string;
  readonly place: Place;
}

function holdsAt(id: string, places: readonly Place[], ask: SizedAsk, children: number): Held {
  return { id, places, holds: places.map(({ key, unit }) => ({ key, amount: ask.perChild[unit]! * children })) };
}

function boundsAt({ id: bookId, places }: Held, copies: readonly JudgedCopy[]): Bounded[] {
  return places.map((place, i) => ({ scope: place.scope, unit: place.unit, figures: copies[i]!, bookId, place }));
}

function isOutdated({ figures, place }: Bounded): boolean {
  return figures.version === 0 && figures.limit !== place.limit;
}

/** `decidedAt` by the record's clock; the age of a copy tells when the record showed it. */
function figuresOf({ figures, bookId, place }: Bounded, requested: number, decidedAt: number): BoundFigures {
  const { limit, reserved, spent, ageMs } = figures;
  return { bookId, key: place.key, limit, reserved, spent, requested, at: decidedAt - ageMs };
}

/** Nothing was taken of this user yet, and another process may have changed the default since its copy was made. */
function restsOnDefault(denial: Denial, bounds: readonly Bounded[]): boolean {
  if (denial.scope.kind !== "user") return false;
  const refusing = bounds.find(({ scope, unit }) => scope.kind === "user" && unit === denial.unit);
  return refusing?.figures.version === 0;
}
