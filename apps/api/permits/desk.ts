import {
  type AcquireOptions,
  type Flow,
  RETRY_DEFAULTS,
  type Permit,
  type PermitRequest,
  type RetryLimits,
  type ServiceLimits,
} from "#libs/flow";
import { newId } from "#libs/ledger";
import { Problem } from "../problems/problem.js";
import type { KnownService, ServiceDirectory } from "../services/directory.js";
import { Endings } from "./endings.js";
import type { PermitBody } from "./permit.dto.js";
import { refusalProblem } from "./refusal.js";
import { type Standings, type Standing } from "./standing.js";
import type { HeldPermit } from "./token.js";

/** Attempts are counted for so much longer than the reservation lives now: it may be extended before anybody asks again. */
const KEEP_LONGER_MS = 3_600_000;

export interface Asking {
  readonly tenantId: string;
  readonly reservationId: string;
  readonly body: PermitBody;
  /** Whether the caller has gone. */
  isGone(): boolean;
  /** Tells the same at once, of one that waits. */
  readonly signal: AbortSignal | undefined;
}

/** Starts attempts: what the record says of the reservation, then flow control in one step. */
export class PermitDesk {
  private readonly retry: RetryLimits;
  private readonly endings: Endings;

  constructor(
    private readonly flow: Flow,
    private readonly standings: Standings,
    private readonly services: ServiceDirectory,
    retryRatio: number | "off",
  ) {
    this.endings = new Endings(standings);
    this.retry = { ...RETRY_DEFAULTS, ratio: retryRatio };
  }

  /** @throws Problem where it is refused, FlowClosed, and the signal's reason. */
  async start(asking: Asking): Promise<HeldPermit> {
    const { tenantId, reservationId, body, signal } = asking;
    const { child, waitMs = 0 } = body;
    const standing = await this.standings.of({ tenantId, reservationId, child });
    const service = await this.serviceOf(tenantId, body.service ?? null, standing.service);
    // No attempt is started for nobody.
    if (asking.isGone()) throw new DOMException("The caller has gone.", "AbortError");
    const request = this.request(asking, service, standing);
    const acquired = await this.acquire(request, Math.min(waitMs, standing.leftMs), {
      ...(signal && { signal }),
      refresh: () => this.asItIsNow(tenantId, service!, standing.service),
    });
    if (acquired.status === "refused") throw refusalProblem(acquired, request);
    const { permit } = acquired;
    // While it waited, the job may have been cancelled.
    if (waitMs > 0) await this.orGiveBack(permit, service, this.standings.of({ tenantId, reservationId, child }));
    return { permit, reservationId, child };
  }

  /** The service that a permit is of; null where it is of none, or of one that there is not any more. */
  serviceOfPermit({ tenantId, service }: Permit): Promise<ServiceLimits | null> {
    return service === null ? Promise.resolve(null) : this.services.find(tenantId, service);
  }

  /** The caller has not heard of its permit, or may not use it. */
  async giveBack(permit: Permit): Promise<void> {
    await this.flow.finish(permit, "cancelled", await this.serviceOfPermit(permit));
  }

  /** A caller that waits is also told when its work has ended. */
  private acquire(request: PermitRequest, waitMs: number, options: AcquireOptions) {
    const { signal } = options;
    if (waitMs === 0 || !request.service || !signal) return this.flow.acquire(request, options);
    return this.endings.watch(request, (ended) =>
      this.flow.acquire(request, { ...options, waitMs, signal: AbortSignal.any([signal, ended]) }),
    );
  }

  private request(
    { tenantId, reservationId, body: { child, cost = 1 } }: Asking,
    service: ServiceLimits | null,
    { jobId, attempts, charged, leftMs }: Standing,
  ): PermitRequest {
    return {
      id: newId("att"),
      tenantId,
      jobId,
      reservationId,
      child: String(child),
      attempts,
      attemptsOnRecord: charged,
      cost,
      service,
      retry: this.retry,
      keepMs: leftMs + KEEP_LONGER_MS,
    };
  }

  /** The one that was reserved for, unless another was asked for: what is spent must be held where it binds. */
  private async serviceOf(
    tenantId: string,
    asked: string | null,
    reserved: string | null,
  ): Promise<ServiceLimits | null> {
    const name = asked ?? reserved;
    if (name === null) return null;
    if (reserved !== null && name !== reserved)
      throw new Problem("conflict", `The reservation is for service "${reserved}", not for "${name}".`);
    return this.orRefuse(name, await this.services.find(tenantId, name), reserved);
  }

  private orRefuse(name: string, service: KnownService | null, reserved: string | null): ServiceLimits {
    if (!service) throw new Problem("service_unknown", `There is no service "${name}".`);
    if (reserved === null && service.hasAllowances)
      throw new Problem("conflict", `Service "${name}" has allowances for this tenant: the reservation must name it.`);
    return service;
  }

  /** While the record does not answer, what was known holds: those who wait need not all be told so at once. */
  private async asItIsNow(tenantId: string, known: ServiceLimits, reserved: string | null): Promise<ServiceLimits> {
    try {
      return this.orRefuse(known.name, await this.services.findAtOnce(tenantId, known.name), reserved);
    } catch (error) {
      if (error instanceof Problem) throw error;
      return known;
    }
  }

  private async orGiveBack(permit: Permit, service: ServiceLimits | null, check: Promise<unknown>): Promise<void> {
    try {
      await check;
    } catch (error) {
      await this.flow.finish(permit, "cancelled", service);
      throw error;
    }
  }
}
