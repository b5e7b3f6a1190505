import { newId, type KeyUse, type Reserve } from "#libs/ledger";
import type { KeyedRequest } from "../idempotency/key.js";
import { DEFAULT_TTL_MS, type ReserveBody } from "./reservation.dto.js";

export function reserveRequest(jobId: string, body: ReserveBody): KeyedRequest {
  return { method: "POST", path: `/v1/jobs/${jobId}/reservations`, body };
}

/** `key` is null for a dry run, which has no effect that could be repeated. */
export function reserveCommand(tenantId: string, jobId: string, body: ReserveBody, key: KeyUse | null): Reserve {
  const { plan, amounts, ttlMs = DEFAULT_TTL_MS, admit = "all", dryRun = false, service = null } = body;
  const ask = plan ?? { amounts: amounts! };
  return { type: "reserve", tenantId, reservationId: newId("rsv"), jobId, ask, admit, ttlMs, dryRun, service, key };
}
