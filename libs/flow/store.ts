import type { BreakerPhase } from "./machines/breaker.js";
import type { Limits } from "./machines/gate.js";
import type { Outcome } from "./machines/outcome.js";
import type { Grant, Refusal } from "./machines/permit.js";
import type { QueueLimits } from "./machines/queue.js";
import type { RetryLimits } from "./machines/retry-budget.js";
import type { Waiting } from "./machines/turn.js";

/**
 * Where the state of flow control is kept. A store decides by the rules of `machines/` and keeps no settings: every call
 * brings those that bind it. It neither waits nor retries, and what it cannot decide it throws.
 */
export interface FlowStore {
  /** `process`: the caller is prepared to wait, and waits in that process. */
  decide(request: PermitRequest, process: string | null): Promise<Grant | Refusal | Waiting>;
  /** Whether this call ended the permit: false for a second one, and for a permit that ended by itself. */
  finish(permit: Permit, outcome: Outcome, service: ServiceLimits | null): Promise<boolean>;
  /** False if the lease has ended. */
  heartbeat(permit: Permit): Promise<boolean>;
  /** A waiter goes without a trace. */
  leave(service: string, waiterId: string): Promise<void>;
  /** Says that the process lives, and wakes whoever's turn it is. False: it was taken for dead, and its waiters let go. */
  nudge(service: string, process: string): Promise<boolean>;
  /** The gate of the service as a whole, or the one of a tenant at it, with the limits of that gate. */
  show(service: string, limits: Limits, tenantId?: string): Promise<ServiceView>;
  /** Opens the breaker of a service by hand, for one reset time, or closes it. */
  setBreaker(service: string, limits: Limits, to: "open" | "closed"): Promise<void>;
  /** Calls back for each waiter of `process` that should ask again. */
  onWake(process: string, woken: Woken): void;
}

export type Woken = (service: string, waiterId: string) => void;

/** What binds at a service: as a whole, and the tenant that asks. A queue of the tenant's narrows the service's. */
export interface ServiceLimits {
  readonly name: string;
  readonly limits: Limits & { readonly queue?: QueueLimits };
  readonly tenantLimits?: Limits & { readonly queue?: QueueLimits };
}

export interface PermitRequest {
  /** The permit's id, and the waiter's while it waits. Never used twice. */
  readonly id: string;
  readonly tenantId: string;
  readonly jobId: string;
  readonly reservationId: string;
  readonly child: string;
  /** Attempts that the plan gives each child, the first one counted. */
  readonly attempts: number;
  /** Attempts of this child that are on record elsewhere: a store may lose its count. Default 0. */
  readonly attemptsOnRecord?: number;
  /** Tokens of the service's rate: 1 for a call, or so many estimated model tokens. Default 1. */
  readonly cost?: number;
  /** Null: the attempt calls no service that is bounded. */
  readonly service: ServiceLimits | null;
  readonly retry?: RetryLimits;
  /** How long the reservation may yet live: its attempts are counted so long. */
  readonly keepMs: number;
}

/** A permit in force. Plain data that its holder hands back to renew or to finish it, in any process. */
export interface Permit extends Omit<Grant, "status"> {
  /** By which it is known at the gates: see `lease-id.ts`. */
  readonly id: string;
  readonly tenantId: string;
  readonly service: string | null;
  /** Without a heartbeat within it the permit ends by itself. */
  readonly leaseMs: number;
  /** The store that granted it. */
  readonly store: "shared" | "local";
}

/** Leases that are counted by tenant: a look, of which there is one a second and service, must not take as long as a million would. */
export const MOST_HELD = 1_000;

/** What an operator sees of a service, or of one tenant at it. */
export interface ServiceView {
  readonly inFlight: number;
  /** Places now; null where nothing bounds them. */
  readonly places: number | null;
  readonly adaptiveLimit: number | null;
  /** Tokens that are there now; null without a rate. */
  readonly tokens: number | null;
  readonly breaker: BreakerPhase;
  /** Tenant → how many of its attempts are in flight, of the {@link MOST_HELD} leases that end first. */
  readonly holders: Readonly<Record<string, number>>;
  /** Tenant → how many of its callers wait. */
  readonly waiting: Readonly<Record<string, number>>;
}
