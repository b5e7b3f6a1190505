import { newId, type CreateJob, type KeyUse } from "#libs/ledger";
import type { KeyedRequest } from "../idempotency/key.js";
import type { CreateJobBody } from "./job.dto.js";

export function createJobRequest(body: CreateJobBody): KeyedRequest {
  return { method: "POST", path: "/v1/jobs", body };
}

export function createJobCommand(tenantId: string, body: CreateJobBody, key: KeyUse): CreateJob {
  const { user = null, name = null, labels = {}, allowance = {} } = body;
  return { type: "createJob", tenantId, jobId: newId("job"), user, name, labels, allowance, key };
}
