import type { Amounts, Denial, Scope } from "#libs/plan";
import type { Period } from "./window.js";

/** All instants are milliseconds since 1970 UTC, by the clock of the record. */
export type Instant = number;

export type Enforcement = "enforce" | "observe";

export interface Tenant {
  readonly id: string;
  name: string;
  enforcement: Enforcement;
  state: "active" | "suspended" | "deleted";
  /** Grows with every change of the tenant or of its settings; copies elsewhere are compared by it. */
  configVersion: number;
  readonly createdAt: Instant;
  deletedAt: Instant | null;
}

/** A limit as it was set. */
export interface AllowanceSetting {
  /** null: unlimited. */
  readonly limit: number | null;
  readonly period: Period;
  /** IANA name. */
  readonly timeZone: string;
}

/** A user's own limit; without a period of its own it counts in the tenant's window of that unit. */
export interface UserAllowanceSetting {
  readonly limit: number | null;
  readonly period: Period | null;
  readonly timeZone: string | null;
}

/** What is set for a tenant: its allowances, and the limits that users and jobs have unless they have their own. */
export interface TenantSettings {
  readonly allowances: Record<string, AllowanceSetting>;
  /** Service → unit → what the tenant may take there. */
  readonly shares: Record<string, Record<string, AllowanceSetting>>;
  readonly userAllowance: Record<string, number>;
  readonly jobAllowance: Record<string, number>;
}

export interface Job {
  readonly id: string;
  readonly user: string | null;
  readonly name: string | null;
  readonly labels: Readonly<Record<string, string>>;
  /**
   * The limits of this job, fixed when it was created. A unit without an entry is bound by the other scopes only; of a
   * child, whose limits are its grant, it is nothing.
   */
  readonly allowance: Amounts;
  /** The jobs above it, its parent first; none for a root. */
  readonly ancestors: readonly string[];
  /** Of a child whose tenant only observes: why its grant would have been denied. */
  readonly wouldDeny: Denial | null;
  state: "open" | "closed" | "cancelled";
  readonly createdAt: Instant;
  closedAt: Instant | null;
}

export interface Plan {
  readonly children: number;
  readonly attempts: number;
  readonly attemptCost: Amounts;
  readonly admittedChildren: number;
}

export interface Reservation {
  readonly id: string;
  readonly jobId: string;
  readonly user: string | null;
  state: "open" | "settled" | "released" | "expired";
  /** What was taken when it was admitted. */
  readonly reserved: Amounts;
  /** What it still holds: nothing once it is not open. */
  held: Amounts;
  /** The sum of its charges. */
  charged: Amounts;
  readonly plan: Plan | null;
  /** The balances of the tenant that hold it, in the windows in which it was taken. */
  readonly keys: readonly string[];
  /** The service that it is for; null where none was named. */
  readonly service: string | null;
  /** The balances in the service's book that hold it too. */
  readonly serviceKeys: readonly string[];
  /** The jobs above its job: they stand in for those below them that have ended. */
  readonly ancestors: readonly string[];
  actual: Amounts | null;
  late: boolean;
  readonly wouldDeny: Denial | null;
  readonly createdAt: Instant;
  expiresAt: Instant;
  closedAt: Instant | null;
}

/** One attempt of one child of a reservation, as it was charged: a fact that never changes. */
export interface Attempt {
  readonly reservationId: string;
  readonly child: number;
  readonly attempt: number;
  readonly outcome: "succeeded" | "failed";
  readonly actual: Amounts;
  /** What the reservation held for it, and, where it succeeded, for those that the child does not need any more. */
  readonly freed: Amounts;
  readonly late: boolean;
  readonly at: Instant;
  /** null: it was charged without a permit. */
  readonly permit: EndedPermit | null;
}

/** How a permit ended. An attempt is ended by one permit, in one way. */
export interface EndedPermit {
  readonly id: string;
  /** As its holder said; finer than what is charged. */
  readonly outcome: string;
}

export type EntryType = "reserve" | "charge" | "settle" | "release" | "expire" | "grant" | "return" | "limit";

/** One movement of one unit; the same movement at every balance in `keys`. */
export interface LedgerEntry {
  readonly type: EntryType;
  readonly at: Instant;
  readonly unit: string;
  /** What was added to `reserved`; negative when given back. */
  readonly reserved: number;
  /** What was added to `spent`. */
  readonly spent: number;
  readonly keys: readonly string[];
  readonly reservationId: string | null;
  readonly jobId: string | null;
  readonly user: string | null;
  readonly detail: EntryDetail | null;
}

export type EntryDetail = LimitChange | ClosingDetail | ChargeDetail | GrantDetail | WorkDetail;

export interface ClosingDetail {
  readonly late: true;
}

export interface ChargeDetail {
  readonly child: number;
  readonly attempt: number;
  readonly late?: true;
}

/** In the book of a service: whose work it was, and what the entry of the tenant's own says. */
export interface WorkDetail extends Partial<ClosingDetail>, Partial<ChargeDetail> {
  readonly tenantId: string;
}

/** Whose grant was taken from its parent, or came back to it. */
export interface GrantDetail {
  readonly childJobId: string;
}

/** Who changed a limit, from what to what. */
export interface LimitChange extends By {
  readonly scope: Scope;
  readonly from: number | null | undefined;
  readonly to: number | null;
}

/** A change of what bounds calls to a service besides its allowances: it stands among the entries and moves nothing. */
export interface SettingsEntry extends Omit<LedgerEntry, "type" | "unit" | "detail"> {
  readonly type: "settings";
  readonly unit: null;
  readonly detail: SettingsChange;
}

/** Who changed it, from what to what, all of it as it was given; null: nothing was set. */
export interface SettingsChange extends By {
  readonly service: string;
  readonly before: object | null;
  readonly after: object | null;
}

/** Who does something to a tenant, and why, for the journal. */
export interface By {
  readonly actor: string;
  readonly reason: string | null;
}

/** What was done to a tenant besides its limits, of which the ledger tells. */
export interface Act extends By {
  readonly at: Instant;
  readonly act: "suspend" | "resume" | "delete" | "enforce" | "observe" | "cancel";
  /** The job that was cancelled, and all below it. */
  readonly jobId: string | null;
}

/** The effect of an idempotency key: what was asked under it, and the first answer. */
export interface KeyRecord {
  readonly key: string;
  readonly fingerprint: string;
  /** JSON text of the answer. */
  readonly answer: string;
  readonly createdAt: Instant;
}
