import { lookUp } from "#libs/plan";
import type { TenantBook } from "../book.js";
import { done, refused, type CreateJob, type EndJob, type FieldError, type Outcome } from "../commands.js";
import type { Instant, Job } from "../entities.js";
import { jobView } from "../views.js";
import { refuseNewWork } from "./guards.js";
import { unitUnknown } from "./reserve.js";

/** Makes a job, the identity that binds all its work, with the limits that it keeps for life. */
export function createJob(book: TenantBook, command: CreateJob, now: Instant): Outcome {
  const refusal = refuseNewWork(book, null, "none");
  if (refusal) return refusal;
  const { allowances, jobAllowance } = book.settings;
  const unknown = Object.keys(command.allowance).find((unit) => !lookUp(allowances, unit));
  if (unknown !== undefined) return unitUnknown(unknown);
  const errors: FieldError[] = [];
  for (const [unit, limit] of Object.entries(command.allowance)) {
    const most = lookUp(jobAllowance, unit);
    if (most === undefined || limit <= most) continue;
    errors.push({ pointer: `/allowance/${unit}`, message: `must be at most the job allowance of the tenant, ${most}` });
  }
  if (errors.length > 0)
    return refused("validation_failed", "A job's allowance cannot be above the default.", { errors });

  const { jobId: id, user, name, labels } = command;
  const allowance = { ...jobAllowance, ...command.allowance };
  const job: Job = { id, user, name, labels, allowance, state: "open", createdAt: now, closedAt: null };
  book.addJob(job);
  return done(jobView(job));
}

/**
 * Ends a job: nothing new is admitted. What it holds stays held, so that running attempts can settle in full; what is
 * not settled or released is given back at its deadline.
 */
export function endJob(book: TenantBook, command: EndJob, now: Instant): Outcome {
  const { tenant } = book;
  const job = tenant && tenant.state !== "deleted" ? book.jobs.find(command.jobId) : null;
  if (!job) return refused("not_found", "There is no such job.");
  if (job.state === command.state) return done(jobView(job));
  if (job.state !== "open") return refused("job_not_open", `The job is ${job.state}.`);
  job.state = command.state;
  job.closedAt = now;
  book.changes.jobs.add(job);
  return done(jobView(job));
}
