import type { Denial, LedgerLog, Scope } from "#libs/ledger";
import { OPERATOR } from "#libs/webhooks";
import { Prisma, type PrismaClient } from "../record/client.js";

/** How long counts are kept in the process before they are written, milliseconds: so much is lost with it. */
const FLUSH_MS = 1_000;
/** Scopes that are told apart between two flushes; further ones of a tenant, kind and unit are counted together. */
const MOST_SCOPES = 1_000;

interface Tallied {
  readonly tenantId: string;
  readonly kind: string;
  /** Empty: several scopes together. */
  readonly scopeId: string;
  readonly unit: string;
  count: number;
  last: Denial;
}

/**
 * Counts the denials of this process for webhooks. A denial costs the record nothing, however many there are: one
 * statement a second writes what was counted, and of tenants alone whose denials anybody is told of.
 */
export class DenialTally {
  private tallied = new Map<string, Tallied>();
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly record: PrismaClient,
    private readonly log: LedgerLog,
  ) {}

  note(tenantId: string, last: Denial): void {
    const scopeId = nameOf(last.scope);
    const isRoom = this.tallied.size < MOST_SCOPES || this.tallied.has(keyOf(tenantId, scopeId, last));
    this.add(tenantId, isRoom ? scopeId : "", last, 1);
  }

  /** Writes what is left. */
  async close(): Promise<void> {
    this.flush();
    await this.writing;
    clearTimeout(this.timer);
  }

  private add(tenantId: string, scopeId: string, last: Denial, times: number): void {
    const key = keyOf(tenantId, scopeId, last);
    const known = this.tallied.get(key);
    if (known) Object.assign(known, { count: known.count + times, last });
    else this.tallied.set(key, { tenantId, kind: last.scope.kind, scopeId, unit: last.unit, count: times, last });
    this.timer ??= setTimeout(() => this.flush(), FLUSH_MS).unref();
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.writing = this.writing.then(() => this.writeAll());
  }

  private async writeAll(): Promise<void> {
    const counted = [...this.tallied.values()];
    if (counted.length === 0) return;
    this.tallied = new Map();
    try {
      await this.write(counted);
    } catch (error) {
      this.log.warn({ err: error }, "denials could not be counted for webhooks yet");
      for (const { tenantId, scopeId, last, count } of counted) this.add(tenantId, scopeId, last, count);
    }
  }

  /** In one order in every process, so that none waits for another in a circle. */
  private write(counted: readonly Tallied[]): Promise<number> {
    return this.record.$executeRaw(Prisma.sql`
      INSERT INTO webhook_denials AS d (tenant_id, kind, scope_id, unit, count, first_at, last_at, last)
      SELECT n."tenantId", n.kind, n."scopeId", n.unit, n.count, holdfast_now(), holdfast_now(), n.last
      FROM json_to_recordset(${JSON.stringify(counted)}::json)
        AS n("tenantId" text, kind text, "scopeId" text, unit text, count bigint, last json)
      WHERE EXISTS (
        SELECT FROM webhooks w WHERE w.tenant_id IN (n."tenantId", ${OPERATOR}) AND w.enabled
          AND 'allowance.denied' = ANY (w.events))
      ORDER BY 1, 2, 3, 4
      ON CONFLICT (tenant_id, kind, scope_id, unit) DO UPDATE
      SET count = d.count + excluded.count, last_at = excluded.last_at, last = excluded.last`);
  }
}

/** Tells a tenant's share of a service from the service: no name of one has a space. */
function nameOf({ id, tenantId }: Scope): string {
  return tenantId === undefined ? id : `${tenantId} ${id}`;
}

function keyOf(tenantId: string, scopeId: string, { scope, unit }: Denial): string {
  return `${tenantId} ${scope.kind} ${unit} ${scopeId}`;
}
