import { newId, type CreateJob, type KeyUse } from "#libs/ledger";
import { isId } from "../http/params.js";
import type { KeyedRequest } from "../idempotency/key.js";
import { notFound } from "../problems/problem.js";
import type { CreateJobBody } from "./job.dto.js";

export function createJobRequest(body: CreateJobBody): KeyedRequest {
  return { method: "POST", path: "/v1/jobs", body };
}

/** What every job is bound by, besides what is set for its tenant. */
export class JobLimits {
  /** How deep child jobs may stand; a root stands at 1. */
  constructor(readonly mostDepth: number) {}
}

/** Throws Problem where the parent's id is the id of nothing. */
export function createJobCommand(
  tenantId: string,
  body: CreateJobBody,
  { mostDepth }: JobLimits,
  key: KeyUse,
): CreateJob {
  const { user = null, name = null, labels = {}, allowance = {}, parentJobId, grant = {} } = body;
  if (parentJobId !== undefined && !isId("job", parentJobId)) throw notFound("job");
  const parent = parentJobId === undefined ? null : { jobId: parentJobId, grant, mostDepth };
  return { type: "createJob", tenantId, jobId: newId("job"), user, name, labels, allowance, parent, key };
}
