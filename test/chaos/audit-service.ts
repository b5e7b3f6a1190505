import { finding, type Finding } from "./findings.js";
import { acknowledged, type Logged } from "./operation.js";
import type { EntryRow, ReservationRow, TenantRecord } from "./tenant-record.js";
import type { ServiceShape } from "./tenants.js";

/** What all tenants share: the book of a service from its first entry on, held against the ledgers of the tenants. */
export class ServiceAudit {
  private readonly findings: Finding[] = [];
  private readonly key: string;
  /** Reservations that must be held here, by tenant and id. */
  private readonly due = new Map<string, ReservationRow>();
  private readonly figures: { limit: number; reserved: number; spent: number };

  constructor(
    private readonly service: ServiceShape,
    private readonly book: TenantRecord,
    private readonly tenants: readonly TenantRecord[],
  ) {
    this.key = `service:${service.name}:${service.unit}:none`;
    this.figures = { limit: service.limit, reserved: 0, spent: 0 };
    for (const { id, reservations } of tenants) {
      for (const row of reservations.values()) if (row.service === service.name) this.due.set(`${id} ${row.id}`, row);
    }
  }

  run(log: readonly Logged[]): Finding[] {
    for (const entry of this.book.entries) this.replay(entry);
    this.compareMovements();
    this.compareBalance();
    for (const row of this.due.values()) this.checkKeys(`reservation ${row.id}`, row.serviceKeys, row);
    this.checkChanges(log);
    return this.findings;
  }

  private replay({ seq, type, reserved, spent, keys, detail }: EntryRow): void {
    const { figures } = this;
    if (keys.join() !== this.key) this.find("other", `entry ${seq} (${type}) counts at ${keys.join()}`);
    if (type === "limit") figures.limit = detail!.to!;
    figures.reserved += reserved;
    figures.spent += spent;
    if (type === "reserve" && figures.reserved + figures.spent > figures.limit)
      this.find("overspent", `after entry ${seq}:`, figures);
    if (figures.reserved < 0 || figures.spent < 0) this.find("other", `a negative figure after entry ${seq}:`, figures);
  }

  /** Whatever moved for a tenant with a reservation that is for it moved here, once, and nothing else did. */
  private compareMovements(): void {
    const count = new Map<string, number>();
    const add = (movement: string, by: number) => count.set(movement, (count.get(movement) ?? 0) + by);
    for (const { id, entries } of this.tenants) {
      const mine = entries.filter(
        ({ reservationId, unit }) => unit === this.service.unit && this.due.has(`${id} ${reservationId}`),
      );
      for (const entry of mine) add(movementOf(id, entry), 1);
    }
    const work = this.book.entries.filter(({ type }) => type !== "limit");
    for (const entry of work) add(movementOf(entry.detail!.tenantId!, entry), -1);
    for (const [movement, difference] of count) {
      if (difference > 0) this.find("lost", `did not move: ${movement}`);
      if (difference < 0) this.find("doubled", `moved without its tenant: ${movement}`);
    }
  }

  private compareBalance(): void {
    const open = [...this.due.values()].filter(({ state }) => state === "open");
    const held = open.reduce((sum, row) => sum + (row.held[this.service.unit] ?? 0), 0);
    const { limit, reserved, spent } = this.figures;
    const row = this.book.balances.get(this.key) ?? { limit, reserved: 0, spent: 0 };
    const expected = { limit, reserved, spent, held: reserved };
    const found = { limit: row.limit, reserved: row.reserved, spent: row.spent, held };
    if (JSON.stringify(expected) !== JSON.stringify(found))
      this.find("other", "its balance does not follow from its ledger:", { expected, found });
    for (const key of this.book.balances.keys()) if (key !== this.key) this.find("other", `has a balance ${key}`);
  }

  private checkKeys(what: string, found: readonly string[], { reserved }: ReservationRow): void {
    const expected = this.service.unit in reserved ? this.key : "";
    if (found.join() !== expected) this.find("other", `${what} is held at "${found.join()}" and not at "${expected}"`);
  }

  /** Limits that are set are all different, so that each has an entry of its own; one that was there already needs none. */
  private checkChanges(log: readonly Logged[]): void {
    const known = this.book.entries.flatMap(({ type, detail }) => (type === "limit" ? [detail!.from, detail!.to] : []));
    for (const operation of log) {
      if (operation.kind !== "setServiceLimit" || acknowledged(operation).length === 0) continue;
      const { allowances } = operation.body as { allowances: Record<string, { limit: number }> };
      const { limit } = allowances[this.service.unit]!;
      if (limit !== this.service.limit && !known.includes(limit))
        this.find("lost", `setServiceLimit to ${limit} is not there`);
    }
  }

  private find(kind: Finding["kind"], what: string, ...details: unknown[]): void {
    this.findings.push(finding(kind, `service ${this.service.name}: ${what}`, ...details));
  }
}

function movementOf(tenantId: string, { type, unit, reserved, spent, reservationId, detail }: EntryRow): string {
  const attempt = type === "charge" ? ` of attempt ${detail!.child}.${detail!.attempt}` : "";
  return `${tenantId} ${reservationId}: ${type}${attempt}, ${reserved} + ${spent} ${unit}`;
}
