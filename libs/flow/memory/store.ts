import { askOf, placesOf } from "../asks.js";
import { holdersOf } from "../lease-id.js";
import { reset, trip } from "../machines/breaker.js";
import { newGate, type Gate, type Limits } from "../machines/gate.js";
import type { Outcome } from "../machines/outcome.js";
import { finishPermit, type BoundGate } from "../machines/permit.js";
import { head, leave, newQueue, rouse, stayAlive, type Queue, type Waiter } from "../machines/queue.js";
import { RETRY_DEFAULTS, type RetryBudget } from "../machines/retry-budget.js";
import { decideTurn, type Turn } from "../machines/turn.js";
import {
  MOST_HELD,
  type FlowStore,
  type Permit,
  type PermitRequest,
  type ServiceLimits,
  type ServiceView,
  type Woken,
} from "../store.js";
import { viewOf, waitingOf } from "../view.js";
import { Shelf } from "./shelf.js";

/** What stands at a gate is kept so long after it was last used. */
export const GATE_KEEP_MS = 86_400_000;

export interface MemoryFlowOptions {
  readonly leaseMs: number;
  /** Milliseconds. Tests move it. */
  readonly clock?: () => number;
}

/** Flow control for one process. */
export class MemoryFlowStore implements FlowStore {
  private readonly gates = new Shelf<Gate>(newGate);
  private readonly queues = new Shelf<Queue>(newQueue);
  private readonly attempts = new Shelf<Map<string, number>>(() => new Map());
  private readonly retries = new Shelf<RetryBudget>(() => new Map());
  private readonly listeners = new Map<string, Woken>();
  private readonly leaseMs: number;
  private readonly clock: () => number;

  constructor({ leaseMs, clock = Date.now }: MemoryFlowOptions) {
    this.leaseMs = leaseMs;
    this.clock = clock;
  }

  async decide(request: PermitRequest, process: string | null): Promise<Turn["decision"]> {
    const now = this.clock();
    const { id, tenantId, jobId, reservationId, service, keepMs, retry = RETRY_DEFAULTS } = request;
    const state = {
      attempts: this.attempts.get(idOf(tenantId, reservationId), keepMs, now),
      retries: this.retries.get(idOf(tenantId, jobId), retry.windowMs, now),
      gates: service ? this.gatesOf(service, tenantId, now) : [],
      queue: service?.limits.queue ? this.queueOf(service.name, now) : newQueue(),
      places: placesOf(service),
    };
    const waiter = process === null ? null : { id, tenant: tenantId, process };
    const { decision, wake } = decideTurn(state, askOf(request, this.leaseMs), waiter, now);
    this.wake(service?.name ?? "", wake);
    return decision;
  }

  async finish(permit: Permit, outcome: Outcome, service: ServiceLimits | null): Promise<boolean> {
    if (permit.service === null) return true;
    const now = this.clock();
    const { limits = {}, tenantLimits = {} } = service ?? {};
    const bound = { name: permit.service, limits, ...(permit.passes.length > 1 && { tenantLimits }) };
    const ended = finishPermit(this.gatesOf(bound, permit.tenantId, now), { ...permit, outcome }, now);
    const queue = this.queueOf(permit.service, now);
    rouse(queue, permit.tenantId);
    this.wake(permit.service, head(queue, now));
    return ended;
  }

  async heartbeat({ id, tenantId, service, passes }: Permit): Promise<boolean> {
    if (service === null) return true;
    const now = this.clock();
    const gates = [this.gate(service, null, now), ...(passes.length > 1 ? [this.gate(service, tenantId, now)] : [])];
    return gates.map(({ leases }) => leases.renew(id, this.leaseMs, now)).every(Boolean);
  }

  async leave(service: string, waiterId: string): Promise<void> {
    const now = this.clock();
    const queue = this.queueOf(service, now);
    for (const [tenant, line] of queue.lines) {
      const waiter = line.find(({ id }) => id === waiterId);
      if (waiter) leave(queue, { ...waiter, tenant });
    }
    this.wake(service, head(queue, now));
  }

  async nudge(service: string, process: string): Promise<boolean> {
    const now = this.clock();
    const queue = this.queueOf(service, now);
    const known = stayAlive(queue, process, now);
    this.wake(service, head(queue, now));
    return known;
  }

  async show(service: string, limits: Limits, tenantId?: string): Promise<ServiceView> {
    const now = this.clock();
    const gate = this.gate(service, tenantId ?? null, now);
    const lines = [...this.queueOf(service, now).lines].map(([tenant, { length }]) => [tenant, length] as const);
    const waiting = waitingOf(Object.fromEntries(lines), tenantId);
    const holders = holdersOf(gate.leases.firstAt(MOST_HELD, now));
    return viewOf(gate, limits, { inFlight: gate.leases.liveAt(now), holders, waiting }, now);
  }

  async setBreaker(service: string, { breaker }: Limits, to: "open" | "closed"): Promise<void> {
    if (to === "open" && !breaker) return;
    const now = this.clock();
    const gate = this.gate(service, null, now);
    if (to === "closed") reset(gate.breaker, now);
    else trip(gate.breaker, breaker!, now);
    this.wake(service, head(this.queueOf(service, now), now));
  }

  onWake(process: string, woken: Woken): void {
    this.listeners.set(process, woken);
  }

  private wake(service: string, waiter: Waiter | null): void {
    if (waiter) this.listeners.get(waiter.process)?.(service, waiter.id);
  }

  private gatesOf({ name, limits, tenantLimits }: ServiceLimits, tenantId: string, now: number): BoundGate[] {
    const service: BoundGate = { scope: "service", gate: this.gate(name, null, now), limits };
    if (!tenantLimits) return [service];
    return [service, { scope: "tenant", gate: this.gate(name, tenantId, now), limits: tenantLimits }];
  }

  private gate(service: string, tenantId: string | null, now: number): Gate {
    return this.gates.get(idOf(service, tenantId ?? ""), GATE_KEEP_MS, now);
  }

  private queueOf(service: string, now: number): Queue {
    return this.queues.get(service, GATE_KEEP_MS, now);
  }
}

function idOf(first: string, second: string): string {
  return `${encodeURIComponent(first)}:${encodeURIComponent(second)}`;
}
