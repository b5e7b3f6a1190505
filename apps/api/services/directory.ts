import type { ServiceLimits } from "#libs/flow";
import { serviceBookId } from "#libs/ledger";
import { Prisma, type PrismaClient } from "../record/client.js";
import { limitsOf } from "./limits.js";
import type { ServiceBody } from "./service.dto.js";

interface Columns {
  readonly settings: ServiceBody;
  readonly own: ServiceBody | null;
  readonly hasAllowances: boolean;
}

export interface KnownService extends ServiceLimits {
  /** It, or the tenant's share of it: then it takes only work that was reserved for it. */
  readonly hasAllowances: boolean;
}

interface Known {
  readonly loadedAt: number;
  readonly limits: Promise<KnownService | null>;
  /** As it was loaded, by now or the time before. */
  last: { readonly loadedAt: number; readonly service: KnownService | null } | undefined;
}

/** How long whoever's turn it is makes do with settings, milliseconds, while newer ones are loaded. */
const USABLE_MS = 3_000;
/** How long settings are believed after they were loaded, milliseconds: a change holds everywhere after this time. */
const FRESH_MS = 1_000;
const MOST_KNOWN = 10_000;

/** What binds a tenant at a service, as it was loaded at most a second ago; one caller loads for all. */
export class ServiceDirectory {
  private readonly known = new Map<string, Known>();

  constructor(private readonly record: PrismaClient) {}

  /** null: there is no such service. */
  find(tenantId: string, name: string): Promise<KnownService | null> {
    const key = `${tenantId} ${name}`;
    const known = this.known.get(key);
    if (known && performance.now() - known.loadedAt < FRESH_MS) return known.limits;
    // The age counts from before the question, since the answer may be as old as that.
    const loadedAt = performance.now();
    const loading: Known = { loadedAt, limits: this.load(tenantId, name), last: known?.last };
    loading.limits.then(
      (service) => (loading.last = { loadedAt, service }),
      () => this.known.get(key) === loading && this.known.delete(key),
    );
    this.known.delete(key);
    this.known.set(key, loading);
    if (this.known.size > MOST_KNOWN) this.known.delete(this.known.keys().next().value!);
    return loading.limits;
  }

  /** The same for one whose turn it is and who should not be late for it: settings of a few seconds ago do, and newer ones are loaded for the next. */
  async findAtOnce(tenantId: string, name: string): Promise<KnownService | null> {
    const limits = this.find(tenantId, name);
    const last = this.known.get(`${tenantId} ${name}`)?.last;
    if (!last || performance.now() - last.loadedAt > USABLE_MS) return limits;
    limits.catch(() => undefined);
    return last.service;
  }

  private async load(tenantId: string, name: string): Promise<KnownService | null> {
    const [row] = await this.record.$queryRaw<Columns[]>(Prisma.sql`
      SELECT s.settings, t.settings AS own,
        EXISTS (
          SELECT 1 FROM allowances WHERE tenant_id = ${serviceBookId(name)}
            OR (tenant_id = ${tenantId} AND kind = 'service' AND scope_id = ${name})) AS "hasAllowances"
      FROM services s LEFT JOIN tenant_services t ON t.tenant_id = ${tenantId} AND t.name = s.name
      WHERE s.name = ${name} AND s.version > 0`);
    if (!row) return null;
    const { settings, own, hasAllowances } = row;
    return { name, limits: limitsOf(settings), ...(own && { tenantLimits: limitsOf(own) }), hasAllowances };
  }
}
