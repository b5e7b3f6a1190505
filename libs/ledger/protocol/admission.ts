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
  type Denial,
  type Place,
  type Reserve,
  type SizedAsk,
} from "../domain/index.js";
import type { Copies } from "./copies.js";
import type { Directory } from "./directory.js";
import { Gather } from "./gather.js";
import type { Copy, Hold, RecordStore, TenantConfig, TenantRow } from "./ports.js";
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
  async denial(command: Reserve): Promise<Denial | null> {
    if (this.copies.state === "off") return null;
    const binding = await this.bindingOf(command);
    const ask = sizeOf(command.ask);
    if (!binding || !ask) return null;
    const units = Object.keys(ask.total);
    if (units.some((unit) => !lookUp(binding.settings.allowances, unit))) return null;
    const service = command.service === null ? [] : await this.placesAt(command.service, units);
    if (!service) return null;
    const places = placesOf(binding, units, this.now());
    const children = command.admit === "partial" ? 1 : ask.children;
    const refusing = await Promise.all([
      this.refusing(command.tenantId, ask, children, places),
      service.length > 0 ? this.refusing(serviceBookId(command.service!), ask, children, service) : [],
    ]);
    const bounds = refusing.flat();
    const denial = denialOf(ask, children, bounds);
    if (!denial || !(await this.directory.isOpen(command.tenantId, command.jobId))) return null;
    if (!restsOnDefault(denial, bounds)) return denial;
    return (await this.directory.isCurrent(binding)) ? denial : null;
  }

  /** What names the balances that may refuse; null where copies may not. */
  private async bindingOf({ tenantId, jobId }: Reserve): Promise<(Binding & TenantConfig) | null> {
    const found = this.directory.tenant(tenantId);
    const config = found instanceof Promise ? await found : found;
    if (config?.tenant.state !== "active" || config.tenant.enforcement !== "enforce") return null;
    const looked = this.directory.job(tenantId, jobId);
    const job = looked instanceof Promise ? await looked : looked;
    if (job?.state !== "open") return null;
    const limits = this.directory.own(tenantId, job.user);
    const own = limits instanceof Promise ? await limits : limits;
    return { tenantId, tenant: config.tenant, settings: config.settings, job, own };
  }

  /** What binds work at the service; null where there is no such service. */
  private async placesAt(service: string, units: readonly string[]): Promise<Place[] | null> {
    const found = this.directory.tenant(serviceBookId(service));
    const config = found instanceof Promise ? await found : found;
    return config && servicePlaces(serviceBookId(service), config.settings, units, this.now());
  }

  /** What binds the ask in one book, where fresh copies refuse it; else nothing. */
  private async refusing(
    tenantId: string,
    ask: SizedAsk,
    children: number,
    places: readonly Place[],
  ): Promise<(Bound & { figures: Copy })[]> {
    const holds: Hold[] = places.map(({ key, unit }) => ({ key, amount: ask.perChild[unit]! * children }));
    let verdict = await this.copies.judge(tenantId, holds);
    if (verdict.status === "stale") {
      await this.refresh(tenantId, places);
      verdict = await this.copies.judge(tenantId, holds);
    }
    if (verdict.status !== "denied") return [];
    const { copies } = verdict;
    // A balance that was never written has no version that would tell that the limit set for it has changed.
    if (copies.some(({ version, limit }, i) => version === 0 && limit !== places[i]!.limit)) return [];
    return places.map(({ scope, unit }, i) => ({ scope, unit, figures: copies[i]! }));
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

/** Nothing was taken of this user yet, and another process may have changed the default since its copy was made. */
function restsOnDefault(denial: Denial, bounds: readonly (Bound & { figures: Copy })[]): boolean {
  if (denial.scope.kind !== "user") return false;
  const refusing = bounds.find(({ scope, unit }) => scope.kind === "user" && unit === denial.unit);
  return refusing?.figures.version === 0;
}
