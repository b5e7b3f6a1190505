import { isDeepStrictEqual } from "node:util";
import { finding, type Finding } from "./findings.js";
import { groupBy } from "./group.js";
import { Scopes } from "./scopes.js";
import type { EntryRow, ReservationRow, TenantRecord } from "./tenant-record.js";
import type { Tenant } from "./tenants.js";

interface Figures {
  limit: number | null;
  reserved: number;
  spent: number;
}

/** The ledger of a tenant from its first entry on: the limits in force at each admission, and the figures in the end. */
export class LedgerAudit {
  readonly findings: Finding[] = [];
  private readonly figures = new Map<string, Figures>();
  /** The limit set last, by scope and unit: what a new window begins with. */
  private readonly limits = new Map<string, number | null>();
  private readonly scopes: Scopes;

  constructor(
    private readonly tenant: Tenant,
    private readonly record: TenantRecord,
  ) {
    this.scopes = new Scopes(tenant, record);
  }

  run(): Finding[] {
    for (const entry of this.record.entries) this.replay(entry);
    this.compareBalances();
    const byReservation = groupBy(this.record.entries, ({ reservationId }) => reservationId ?? "");
    for (const reservation of this.record.reservations.values()) {
      this.checkMovements(reservation, byReservation.get(reservation.id) ?? []);
      this.checkKeys(`reservation ${reservation.id}`, reservation.keys, this.scopes.ofAll(reservation));
    }
    for (const id of byReservation.keys()) {
      if (id !== "" && !this.record.reservations.has(id)) this.find("lost", `entries of a missing reservation ${id}`);
    }
    return this.findings;
  }

  private replay(entry: EntryRow): void {
    const keys = this.keysOf(entry);
    this.checkKeys(`entry ${entry.seq} (${entry.type})`, entry.keys, keys);
    for (const key of keys) {
      const figures = this.at(key);
      if (entry.type === "limit") {
        figures.limit = entry.detail!.to ?? null;
        this.limits.set(scopeAndUnit(key), figures.limit);
      }
      figures.reserved += entry.reserved;
      figures.spent += entry.spent;
      const { limit, reserved, spent } = figures;
      if (entry.type === "reserve" && limit !== null && reserved + spent > limit) {
        this.find("overspent", `at ${key} after entry ${entry.seq}:`, figures);
      }
      if (reserved < 0 || spent < 0)
        this.find("other", `a negative figure at ${key} after entry ${entry.seq}:`, figures);
    }
  }

  private keysOf(entry: EntryRow): readonly string[] {
    if (entry.type === "limit") return [this.scopes.changed(entry)];
    const reservation = this.record.reservations.get(entry.reservationId!);
    // One that is missing is a finding of its own.
    return reservation ? this.scopes.of(reservation, entry.unit) : entry.keys;
  }

  private checkKeys(what: string, found: readonly string[], expected: readonly string[]): void {
    if (isDeepStrictEqual([...found].sort(), [...expected].sort())) return;
    this.find("other", `${what} counts at`, found, "and not at", expected);
  }

  private at(key: string): Figures {
    let figures = this.figures.get(key);
    if (!figures) {
      figures = { limit: this.limits.get(scopeAndUnit(key)) ?? this.firstLimit(key), reserved: 0, spent: 0 };
      this.figures.set(key, figures);
    }
    return figures;
  }

  /** The limit that was there before any change: as the tenant was made, or the job. */
  private firstLimit(key: string): number | null {
    const [kind, id, unit] = key.split(":") as [string, string, string];
    const { allowances, userAllowance, jobAllowance } = this.tenant;
    if (kind === "tenant") return allowances[unit]!.limit;
    if (kind === "service") return this.scopes.share(id, unit) ?? null;
    if (kind === "user") return userAllowance?.[unit] ?? null;
    return this.record.jobs.get(id)?.allowance[unit] ?? jobAllowance?.[unit] ?? null;
  }

  private compareBalances(): void {
    const held = new Map<string, number>();
    for (const reservation of this.record.reservations.values()) {
      if (reservation.state !== "open") continue;
      for (const [unit, amount] of Object.entries(reservation.held)) {
        for (const key of this.scopes.of(reservation, unit)) held.set(key, (held.get(key) ?? 0) + amount);
      }
    }
    for (const key of new Set([...this.figures.keys(), ...held.keys(), ...this.record.balances.keys()])) {
      const { limit, reserved, spent } = this.at(key);
      const expected = { limit, reserved, spent, held: reserved };
      const row = this.record.balances.get(key) ?? { limit, reserved: 0, spent: 0 };
      const found = { limit: row.limit, reserved: row.reserved, spent: row.spent, held: held.get(key) ?? 0 };
      if (JSON.stringify(expected) !== JSON.stringify(found)) {
        this.find("other", `the balance ${key} does not follow from the ledger:`, { expected, found });
      }
    }
  }

  /** It is taken once, closed once and each attempt of it is charged once; what is left it holds. */
  private checkMovements(reservation: ReservationRow, entries: readonly EntryRow[]): void {
    const { id, state, reserved, held, actual } = reservation;
    const attempts = this.record.attempts.filter(({ reservationId }) => reservationId === id);
    for (const unit of Object.keys(reserved)) {
      const of = entries.filter((entry) => entry.unit === unit);
      const charges = of.filter(({ type }) => type === "charge");
      const others = of.filter(({ type }) => type !== "charge");
      const left = reserved[unit]! + sum(charges.map((entry) => entry.reserved));
      const movements = {
        taken: of.flatMap((entry) => (entry.reserved > 0 ? [entry.reserved] : [])),
        returned: others.flatMap((entry) => (entry.reserved < 0 ? [-entry.reserved] : [])),
        spent: others.flatMap((entry) => (entry.spent > 0 ? [entry.spent] : [])),
      };
      const once = (amount: number | undefined): number[] => (amount ? [amount] : []);
      const expected = {
        taken: once(reserved[unit]),
        returned: once(state === "open" ? 0 : left),
        spent: once(actual?.[unit]),
      };
      for (const name of ["taken", "returned", "spent"] as const) {
        const [found, wanted] = [movements[name], expected[name]];
        if (found.length > 1) this.find("doubled", `reservation ${id} (${state}): ${name}`, found, unit);
        else if (found[0] !== wanted[0]) {
          this.find("other", `reservation ${id} (${state}): ${name}`, found, unit, "and not", wanted);
        }
      }
      const holds = state === "open" ? left : 0;
      if (held[unit] !== holds)
        this.find("other", `reservation ${id} (${state}) says it holds ${held[unit]}, not ${holds}`);
      this.checkCharges(
        id,
        charges,
        attempts.map((one) => [placeOf(one), one.actual[unit]!] as const),
      );
    }
  }

  /** Each attempt's charge is booked once, with what the attempt used. */
  private checkCharges(
    id: string,
    charges: readonly EntryRow[],
    attempts: readonly (readonly [string, number])[],
  ): void {
    const booked = groupBy(charges, ({ detail }) => placeOf(detail as { child: number; attempt: number }));
    for (const [place, entries] of booked) {
      if (entries.length > 1) this.find("doubled", `reservation ${id}: attempt ${place} was charged`, entries);
    }
    for (const [place, amount] of attempts) {
      const found = sum((booked.get(place) ?? []).map(({ spent }) => spent));
      if (found !== amount)
        this.find("other", `reservation ${id}: attempt ${place} used ${amount}, and ${found} is booked`);
    }
  }

  private find(kind: Finding["kind"], what: string, ...details: unknown[]): void {
    this.findings.push(finding(kind, `${this.tenant.name}: ${what}`, ...details));
  }
}

function scopeAndUnit(key: string): string {
  return key.split(":").slice(0, 3).join(":");
}

function placeOf({ child, attempt }: { readonly child: number; readonly attempt: number }): string {
  return `${child}.${attempt}`;
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}
