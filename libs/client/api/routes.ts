import type { OperationId } from "./types.js";

export interface Route {
  readonly method: "GET" | "POST";
  /** `{name}` is a part of the path that the caller gives. */
  readonly path: string;
  /** The request is named by an idempotency key. */
  readonly keyed?: true;
}

/** Where each operation of a tenant is; openapi.json is the source, and a test holds them together. */
export const ROUTES: Readonly<Record<OperationId, Route>> = {
  "jobs.create": { method: "POST", path: "/v1/jobs", keyed: true },
  "jobs.list": { method: "GET", path: "/v1/jobs" },
  "jobs.detail": { method: "GET", path: "/v1/jobs/{jobId}" },
  "jobs.children": { method: "GET", path: "/v1/jobs/{jobId}/children" },
  "jobs.close": { method: "POST", path: "/v1/jobs/{jobId}/close" },
  "jobs.cancel": { method: "POST", path: "/v1/jobs/{jobId}/cancel" },
  "jobReservations.reserve": { method: "POST", path: "/v1/jobs/{jobId}/reservations", keyed: true },
  "jobReservations.list": { method: "GET", path: "/v1/jobs/{jobId}/reservations" },
  "reservations.detail": { method: "GET", path: "/v1/reservations/{reservationId}" },
  "reservations.settle": { method: "POST", path: "/v1/reservations/{reservationId}/settle" },
  "reservations.release": { method: "POST", path: "/v1/reservations/{reservationId}/release" },
  "reservations.extend": { method: "POST", path: "/v1/reservations/{reservationId}/extend" },
  "charges.charge": { method: "POST", path: "/v1/reservations/{reservationId}/charges", keyed: true },
  "charges.attempts": { method: "GET", path: "/v1/reservations/{reservationId}/attempts" },
  "reservationPermits.start": { method: "POST", path: "/v1/reservations/{reservationId}/permits" },
  "permits.heartbeat": { method: "POST", path: "/v1/permits/{permitId}/heartbeat" },
  "permits.finish": { method: "POST", path: "/v1/permits/{permitId}/finish" },
  "batch.run": { method: "POST", path: "/v1/batch" },
  "balances.list": { method: "GET", path: "/v1/balances" },
  "ledger.list": { method: "GET", path: "/v1/ledger" },
  "events.stream": { method: "GET", path: "/v1/events" },
  "denials.list": { method: "GET", path: "/v1/denials" },
  "denials.detail": { method: "GET", path: "/v1/denials/{denialId}" },
  "ownWebhooks.list": { method: "GET", path: "/v1/webhooks" },
};
