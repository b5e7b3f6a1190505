import { randomUUID } from "node:crypto";
import type { Cluster, Redis } from "ioredis";
import { leaseIdOf } from "./lease-id.js";
import type { Limits } from "./machines/gate.js";
import type { Outcome } from "./machines/outcome.js";
import type { Refusal } from "./machines/permit.js";
import { NO_METER, type FlowMeter, type Metered } from "./meter.js";
import { MemoryFlowStore } from "./memory/store.js";
import { RedisFlowStore } from "./redis/store.js";
import { SharedFirst } from "./shared-first.js";
import type { Permit, PermitRequest, ServiceLimits, ServiceView } from "./store.js";
import { WaitingRoom, type Seat } from "./waiting-room.js";

export interface FlowOptions {
  /** Makes a client of Redis that sends each command once or fails; called twice. Absent: this process decides alone. */
  readonly connect?: () => Redis | Cluster;
  /** How long a permit lives without a heartbeat, milliseconds. Default 30 000. */
  readonly leaseMs?: number;
  /** Longest wait for an answer of Redis, milliseconds. Default 1 000: to grant by itself for a Redis that is only slow means to exceed the limits. */
  readonly timeoutMs?: number;
  /** Default: nobody counts. */
  readonly meter?: FlowMeter;
}

export interface AcquireOptions {
  /** Longest wait for a permit, milliseconds; the queue's `maxWaitMs` bounds it. Default 0: not at all. */
  readonly waitMs?: number;
  /** The caller has gone: it leaves the queue, and `acquire` rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /**
   * The service as it is bounded now, asked for before each further turn of one that waits: settings may change meanwhile.
   * Where it rejects, the caller leaves the queue, and `acquire` rejects alike. Default: nothing changes.
   */
  readonly refresh?: () => Promise<ServiceLimits>;
}

/** What a caller is told that waits while the process stops. */
export class FlowClosed extends Error {}

export type Acquired = { readonly status: "granted"; readonly permit: Permit } | Refusal;

const LEASE_MS = 30_000;
const TIMEOUT_MS = 1_000;
/** How often a process with waiters says that it lives, whatever their number; well within SILENCE_MS. */
const NUDGE_MS = 1_000;

/** Leave to start attempts: the one way in. */
export class Flow {
  private readonly meter: FlowMeter;
  private readonly leaseMs: number;
  private readonly process = randomUUID();
  private readonly room = new WaitingRoom();
  private readonly stores: SharedFirst;
  private nudging: NodeJS.Timeout | undefined;
  private closed = false;

  constructor({ connect, leaseMs = LEASE_MS, timeoutMs = TIMEOUT_MS, meter = NO_METER }: FlowOptions = {}) {
    this.meter = meter;
    this.leaseMs = leaseMs;
    const local = new MemoryFlowStore({ leaseMs });
    const shared = connect ? new RedisFlowStore({ connect, leaseMs, timeoutMs }) : null;
    this.stores = new SharedFirst(shared, local, meter, () => this.room.wakeAll());
    this.stores.onWake(this.process, (service, waiterId) => {
      // Somebody whose leaving was not heard: its place goes to the next.
      if (!this.room.wake(waiterId)) void this.stores.leave(service, waiterId);
    });
  }

  async acquire(asked: PermitRequest, options: AcquireOptions = {}): Promise<Acquired> {
    const { waitMs = 0, signal } = options;
    const request = { ...asked, id: leaseIdOf(asked) };
    this.throwIfGone(signal);
    const patience = Math.min(waitMs, longestWait(request.service));
    const acquired = patience > 0 ? await this.wait(request, patience, options) : await this.ask(request, null);
    if (acquired && !signal?.aborted) return this.count(request, acquired);
    if (acquired?.status === "granted") await this.finish(acquired.permit, "cancelled", request.service);
    this.meter.aborted(metered(request));
    this.throwIfGone(signal);
    throw new Error("a caller that had not gone was told nothing");
  }

  /** Ends a permit and frees its places. A second call changes nothing and returns false, as does one that comes too late. */
  async finish(permit: Permit, outcome: Outcome, service: ServiceLimits | null): Promise<boolean> {
    const ended = await this.stores.finish(permit, outcome, service);
    if (ended) this.meter.finished(permit, outcome);
    return ended;
  }

  /** Keeps a permit for another lease. `unknown`: its store did not answer; it lives until its deadline. */
  heartbeat(permit: Permit): Promise<"kept" | "gone" | "unknown"> {
    return this.stores.heartbeat(permit);
  }

  /** How a service stands, or one tenant at it; `limits` are those of the service, or of the tenant there. */
  show(service: string, limits: Limits, tenantId?: string): Promise<ServiceView> {
    return this.stores.show(service, limits, tenantId);
  }

  /** Opens the breaker by hand, for one reset time. */
  trip(service: string, limits: Limits): Promise<void> {
    return this.stores.setBreaker(service, limits, "open");
  }

  /** Closes the breaker by hand. */
  reset(service: string, limits: Limits): Promise<void> {
    return this.stores.setBreaker(service, limits, "closed");
  }

  /** Whether this process decides together with the others now. */
  get isShared(): boolean {
    return this.stores.isShared;
  }

  /** Callers that wait in this process. */
  get waiting(): number {
    return this.room.size;
  }

  /** Grants nothing any more: whoever waits leaves, and `acquire` rejects with FlowClosed. Permits may still be finished. */
  async stopGranting(): Promise<void> {
    this.closed = true;
    this.room.wakeAll();
    await this.room.empty();
    clearInterval(this.nudging);
  }

  /** After `stopGranting`, ends the connections. Permits in force stay until they are overdue. */
  async close(): Promise<void> {
    await this.stopGranting();
    this.stores.close();
  }

  private count(request: PermitRequest, acquired: Acquired): Acquired {
    if (acquired.status === "granted") this.meter.granted(acquired.permit);
    else this.meter.refused(metered(request), acquired);
    return acquired;
  }

  private throwIfGone(signal: AbortSignal | undefined): void {
    signal?.throwIfAborted();
    if (this.closed) throw new FlowClosed("flow control stops");
  }

  /** Null: the caller has gone, or the process stops. */
  private async wait(request: PermitRequest, patience: number, options: AcquireOptions): Promise<Acquired | null> {
    const { name } = request.service!;
    const until = performance.now() + patience;
    const seat = this.room.sit(request.id, name);
    this.keepNudging();
    try {
      const acquired = await this.takeTurns(request, seat, until, options);
      if (acquired || options.signal?.aborted || this.closed) return acquired;
      // Its time is up. It is told how things stand now, and might just be let through.
      return await this.ask(await refreshed(request, options), null);
    } finally {
      this.room.rise(request.id);
    }
  }

  /** Asks whenever it is this caller's turn. Null, and it waits no more: its time is up, or it has gone. */
  private async takeTurns(
    request: PermitRequest,
    seat: Seat,
    until: number,
    options: AcquireOptions,
  ): Promise<Acquired | null> {
    const { signal, refresh } = options;
    const leave = () => this.stores.leave(seat.service, request.id);
    for (let asked = request, first = true; ; first = false) {
      const answer = await this.decide(asked, this.process);
      if (answer.status !== "waiting") return answer;
      if (first) this.meter.waits(metered(request));
      const left = until - performance.now();
      // Whoever has a time to ask again is first in its line: it alone looks meanwhile whether the settings have changed.
      const soonest = answer.retryAfterMs === null ? left : Math.min(answer.retryAfterMs, refresh ? NUDGE_MS : left);
      if (left > 0) await seat.wait(Math.min(left, soonest), signal);
      if (signal?.aborted || this.closed || until <= performance.now()) {
        await leave();
        return null;
      }
      try {
        asked = await refreshed(request, options);
      } catch (error) {
        await leave();
        throw error;
      }
      if (asked.service?.limits.queue) continue;
      // Nobody may wait there any more.
      await leave();
      return this.ask(asked, null);
    }
  }

  private async ask(request: PermitRequest, process: string | null): Promise<Acquired> {
    const answer = await this.decide(request, process);
    if (answer.status === "waiting") throw new Error("a caller that does not wait was told to");
    return answer;
  }

  private async decide(request: PermitRequest, process: string | null) {
    const begun = performance.now();
    const { decision, store } = await this.stores.decide(request, process);
    this.meter.decided(performance.now() - begun);
    if (decision.status !== "granted") return decision;
    const { id, tenantId, service } = request;
    const { attempt, grantedAt, passes } = decision;
    const permit: Permit = {
      id,
      tenantId,
      service: service?.name ?? null,
      attempt,
      grantedAt,
      passes,
      leaseMs: this.leaseMs,
      store,
    };
    return { status: "granted" as const, permit };
  }

  private async nudge(service: string): Promise<void> {
    if (!(await this.stores.nudge(service, this.process))) this.room.wakeAll(service);
  }

  /** While anybody waits here: one call a second for each service that is waited for. */
  private keepNudging(): void {
    this.nudging ??= setInterval(() => {
      const { services } = this.room;
      for (const service of services) void this.nudge(service);
      if (services.length > 0) return;
      clearInterval(this.nudging);
      this.nudging = undefined;
    }, NUDGE_MS).unref();
  }
}

async function refreshed(request: PermitRequest, { refresh }: AcquireOptions): Promise<PermitRequest> {
  return refresh ? { ...request, service: await refresh() } : request;
}

function metered({ tenantId, service }: PermitRequest): Metered {
  return { tenantId, service: service?.name ?? null };
}

function longestWait(service: ServiceLimits | null): number {
  const queues = [service?.limits.queue, service?.tenantLimits?.queue];
  if (!queues[0]) return 0;
  return Math.min(...queues.map((queue) => queue?.maxWaitMs ?? Number.POSITIVE_INFINITY));
}
