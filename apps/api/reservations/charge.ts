import type { Charge, KeyUse } from "#libs/ledger";
import type { KeyedRequest } from "../idempotency/key.js";
import type { ChargeBody } from "./reservation.dto.js";

export function chargeRequest(reservationId: string, body: ChargeBody): KeyedRequest {
  return { method: "POST", path: `/v1/reservations/${reservationId}/charges`, body };
}

export function chargeCommand(tenantId: string, reservationId: string, body: ChargeBody, key: KeyUse): Charge {
  const { child, attempt, outcome, actual } = body;
  return { type: "charge", tenantId, reservationId, child, attempt, outcome, actual, permit: null, key };
}
