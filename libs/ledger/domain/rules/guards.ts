import type { TenantBook } from "../book.js";
import { refused, type Outcome } from "../commands.js";
import type { Job } from "../entities.js";

/** Why nothing new may start here: the tenant is gone or suspended, or the job is gone or over. */
export function refuseNewWork(book: TenantBook, job: Job | null, looked: "job" | "none"): Outcome | null {
  const { tenant } = book;
  if (!tenant || tenant.state === "deleted") return refused("not_found", "There is no such tenant.");
  if (looked === "job" && !job) return refused("not_found", "There is no such job.");
  if (tenant.state === "suspended")
    return refused("tenant_suspended", "The tenant is suspended: nothing new is admitted.");
  if (job && job.state !== "open") return refused("job_not_open", `The job is ${job.state}: nothing new is admitted.`);
  return null;
}
