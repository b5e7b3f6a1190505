import { RETRY_DEFAULTS } from "./machines/retry-budget.js";
import type { PermitAsk } from "./machines/permit.js";
import type { QueuePlaces } from "./machines/queue.js";
import type { PermitRequest, ServiceLimits } from "./store.js";

/** A request as the machines take it, with what it left out. */
export function askOf(request: PermitRequest, leaseMs: number): PermitAsk & { readonly tenant: string } {
  return {
    id: request.id,
    tenant: request.tenantId,
    child: request.child,
    planned: request.attempts,
    known: request.attemptsOnRecord ?? 0,
    cost: request.cost ?? 1,
    retry: request.retry ?? RETRY_DEFAULTS,
    leaseMs,
  };
}

/** Places in the queue; none where the service has no queue. */
export function placesOf(service: ServiceLimits | null): QueuePlaces {
  const max = service?.limits.queue?.max ?? 0;
  return { max, tenantMax: service?.tenantLimits?.queue?.max ?? max };
}
