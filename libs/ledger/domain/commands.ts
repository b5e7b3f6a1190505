import type { Amounts, Ask, Denial } from "#libs/plan";
import type { AllowanceSetting, By, EndedPermit, UserAllowanceSetting } from "./entities.js";
import type { Grounds } from "./grounds.js";
import type { Period } from "./window.js";

/** An idempotency key in use: the key, and a digest of the tenant's request that it is bound to (route and body). */
export interface KeyUse {
  readonly key: string;
  readonly fingerprint: string;
}

interface OfTenant {
  readonly tenantId: string;
}

export interface Reserve extends OfTenant {
  readonly type: "reserve";
  /** Made by the server; taken only if the command is admitted. */
  readonly reservationId: string;
  readonly jobId: string;
  readonly ask: Ask;
  readonly admit: "all" | "partial";
  readonly ttlMs: number;
  /** Decides and changes nothing. */
  readonly dryRun: boolean;
  /** The service whose allowances bind the work too; null: of none. */
  readonly service: string | null;
  readonly key: KeyUse | null;
}

export interface Settle extends OfTenant {
  readonly type: "settle";
  readonly reservationId: string;
  readonly actual: Amounts;
}

/** Books one attempt of one child; each is charged once. */
export interface Charge extends OfTenant {
  readonly type: "charge";
  readonly reservationId: string;
  readonly child: number;
  readonly attempt: number;
  readonly outcome: "succeeded" | "failed";
  readonly actual: Amounts;
  readonly permit: EndedPermit | null;
  /** null: the place of the attempt, and its permit, are all that tells the same charge again from another. */
  readonly key: KeyUse | null;
}

export interface Release extends OfTenant {
  readonly type: "release";
  readonly reservationId: string;
}

export interface Extend extends OfTenant {
  readonly type: "extend";
  readonly reservationId: string;
  readonly ttlMs: number;
}

/** Closes a reservation whose deadline has passed; anything else is left alone. */
export interface Expire extends OfTenant {
  readonly type: "expire";
  readonly reservationId: string;
}

/** Opens the current windows of the tenant's allowances that have a period, where they are not open yet. */
export interface OpenWindows extends OfTenant {
  readonly type: "openWindows";
}

export interface CreateJob extends OfTenant {
  readonly type: "createJob";
  readonly jobId: string;
  readonly user: string | null;
  readonly name: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly allowance: Amounts;
  /** null: a root. */
  readonly parent: Parentage | null;
  readonly key: KeyUse;
}

/** What makes a job a child: its grant is carved out of what its parent may spend. */
export interface Parentage {
  readonly jobId: string;
  readonly grant: Amounts;
  /** How deep a job may stand; a root stands at 1. */
  readonly mostDepth: number;
}

export interface EndJob extends OfTenant {
  readonly type: "endJob";
  readonly jobId: string;
  readonly state: "closed" | "cancelled";
  /** Who ends it, where that is not the tenant itself. */
  readonly by?: By;
}

export interface Limit {
  /** null: unlimited. */
  readonly limit: number | null;
}

/** A change of the tenant itself or of what is set for it. */
export type TenantChange =
  | { readonly change: "state"; readonly state: "active" | "suspended" | "deleted" }
  | {
      readonly change: "patch";
      readonly name?: string;
      readonly enforcement?: "enforce" | "observe";
      /** Unit → default limit; null takes the default away; units that are not named keep theirs. */
      readonly userAllowance?: Readonly<Record<string, number | null>>;
      readonly jobAllowance?: Readonly<Record<string, number | null>>;
    }
  | ({
      readonly change: "allowance";
      readonly unit: string;
      /** null: what was set stays; at first `none`, in UTC. */
      readonly period: Period | null;
      readonly timeZone: string | null;
    } & Limit)
  | { readonly change: "adjust"; readonly unit: string; readonly delta: number }
  /** All that is set for a service, whose book it is: its allowances, and what the ledger keeps beside them as it is. */
  | {
      readonly change: "service";
      readonly allowances: Readonly<Record<string, AllowanceSetting>>;
      readonly flow: object;
    }
  /** All that is set for the tenant at a service, in the same two parts; `flow` null takes it all away. */
  | {
      readonly change: "share";
      readonly service: string;
      readonly allowances: Readonly<Record<string, AllowanceSetting>>;
      readonly flow: object | null;
    }
  /** A user's own limit; null takes it away, and the tenant's default binds. */
  | {
      readonly change: "userAllowance";
      readonly user: string;
      readonly unit: string;
      readonly setting: UserAllowanceSetting | null;
    };

export interface Configure extends OfTenant, By {
  readonly type: "configure";
  readonly change: TenantChange;
  readonly key: KeyUse | null;
}

export type Command =
  Reserve | Settle | Charge | Release | Extend | Expire | OpenWindows | CreateJob | EndJob | Configure;

export interface FieldError {
  /** JSON pointer into the request body. */
  readonly pointer: string;
  readonly message: string;
}

export type RefusalCode =
  | "validation_failed"
  | "tenant_suspended"
  | "not_found"
  | "allowance_exhausted"
  | "exceeds_limit"
  | "job_not_open"
  | "already_settled"
  | "already_released"
  | "reservation_expired"
  | "attempts_exhausted"
  | "conflict"
  | "idempotency_key_reused"
  | "unit_unknown"
  | "service_unknown";

/** A refused command changed nothing. */
export interface Refusal {
  readonly code: RefusalCode;
  /** One sentence for a person. */
  readonly detail: string;
  readonly denial?: Denial;
  /** Of a denial: all that it was decided on. */
  readonly grounds?: Grounds;
  readonly errors?: readonly FieldError[];
}

export type Outcome =
  | {
      readonly type: "done";
      /** The public answer, plain JSON. */
      readonly answer: object;
      /** True where an earlier command under the same idempotency key had this effect and this answer. */
      readonly replayed: boolean;
      /** Under `observe`, of what would have been denied: all that it was decided on. */
      readonly observed?: Grounds;
    }
  | { readonly type: "refused"; readonly refusal: Refusal };

export function done(answer: object, observed: Grounds | null = null): Outcome {
  return { type: "done", answer, replayed: false, ...(observed && { observed }) };
}

export function refused(
  code: RefusalCode,
  detail: string,
  more?: Pick<Refusal, "denial" | "grounds" | "errors">,
): Outcome {
  return { type: "refused", refusal: { code, detail, ...more } };
}
