import { accountKey, hourOf } from "../simulation/accounts.js";
import type { EntryRow, ReservationRow, TenantRecord } from "./tenant-record.js";
import { SHARED, type Tenant } from "./tenants.js";

/** Where a reservation counts, by what clients know of it and in the auditor's own words: what the product wrote is no witness. */
export class Scopes {
  constructor(
    private readonly tenant: Tenant,
    private readonly record: TenantRecord,
  ) {}

  /** The balances that bind it in a unit: those of its job, of the user of the job, of the tenant, and of its share of the service. */
  of({ jobId, createdAt, service }: ReservationRow, unit: string): string[] {
    const user = this.record.jobs.get(jobId)?.user ?? null;
    return [
      accountKey("job", jobId, unit, "none"),
      ...(user === null ? [] : [accountKey("user", user, unit, this.window(unit, createdAt))]),
      accountKey("tenant", this.tenant.id, unit, this.window(unit, createdAt)),
      ...(service !== null && this.share(service, unit) !== undefined
        ? [accountKey("service", service, unit, "none")]
        : []),
    ];
  }

  /** What the tenant may take itself of a service; undefined where that is not bound. */
  share(service: string, unit: string): number | undefined {
    return service === SHARED.name && unit === SHARED.unit ? SHARED.shares[this.tenant.name] : undefined;
  }

  /** All of them, in every unit. */
  ofAll(reservation: ReservationRow): string[] {
    return Object.keys(reservation.reserved).flatMap((unit) => this.of(reservation, unit));
  }

  /** The balance whose limit was changed. */
  changed({ detail, unit, at }: EntryRow): string {
    const { kind, id } = detail!.scope!;
    return accountKey(kind, id, unit, this.window(unit, at));
  }

  /** Users count in the windows of the tenant. */
  private window(unit: string, at: number): string {
    return this.tenant.allowances[unit]?.period === "hour" ? hourOf(at) : "none";
  }
}
