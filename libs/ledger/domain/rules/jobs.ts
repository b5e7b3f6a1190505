import { lookUp } from "#libs/plan";
import type { TenantBook } from "../book.js";
import { done, refused, type CreateJob, type EndJob, type FieldError, type Outcome } from "../commands.js";
import type { Instant, Job } from "../entities.js";
import { jobView } from "../views.js";
import { carve, handOver, parentBalances, placeOfChild } from "./grants.js";
import { refuseNewWork } from "./guards.js";
import { unitUnknown } from "./reserve.js";

/** Jobs that one close or cancel may end, besides the job itself. */
export const MOST_DESCENDANTS = 10_000;
/** Balances that are looked at for that, one a job and unit: more could not be decided in time, however often it is asked. */
const MOST_LOOKED_AT = 40_000;

/** Makes a job, the identity that binds all its work, with the limits that it keeps for life. */
export function createJob(book: TenantBook, command: CreateJob, now: Instant): Outcome {
  const { parent } = command;
  const above = parent && book.jobs.find(parent.jobId);
  const refusal = refuseNewWork(book, above, parent ? "job" : "none");
  if (refusal) return refusal;
  const limits = parent?.grant ?? command.allowance;
  const unknown = Object.keys(limits).find((unit) => !lookUp(book.settings.allowances, unit));
  if (unknown !== undefined) return unitUnknown(unknown);

  if (parent) {
    const place = placeOfChild(command, parent, above!);
    if ("type" in place) return place;
    const carved = carve(book, { ...parent, childJobId: command.jobId, job: above!, now });
    if ("type" in carved) return carved;
    const { wouldDeny, grounds } = carved;
    const job = addJob(book, command, { ...place, wouldDeny, allowance: parent.grant }, now);
    return done(jobView(job), grounds);
  }
  const errors = errorsOfAllowance(book, command);
  if (errors.length > 0)
    return refused("validation_failed", "A job's allowance cannot be above the default.", { errors });
  const allowance = { ...book.settings.jobAllowance, ...command.allowance };
  return done(jobView(addJob(book, command, { user: command.user, ancestors: [], wouldDeny: null, allowance }, now)));
}

function errorsOfAllowance({ settings }: TenantBook, { allowance }: CreateJob): FieldError[] {
  const errors: FieldError[] = [];
  for (const [unit, limit] of Object.entries(allowance)) {
    const most = lookUp(settings.jobAllowance, unit);
    if (most === undefined || limit <= most) continue;
    errors.push({ pointer: `/allowance/${unit}`, message: `must be at most the job allowance of the tenant, ${most}` });
  }
  return errors;
}

function addJob(
  book: TenantBook,
  { jobId: id, name, labels }: CreateJob,
  given: Pick<Job, "user" | "ancestors" | "allowance" | "wouldDeny">,
  now: Instant,
): Job {
  const job: Job = { id, name, labels, ...given, state: "open", createdAt: now, closedAt: null };
  book.addJob(job);
  return job;
}

function mostBelow({ settings }: TenantBook): number {
  const units = Object.keys(settings.allowances).length;
  return Math.min(MOST_DESCENDANTS, Math.floor(MOST_LOOKED_AT / Math.max(1, units)));
}

/**
 * Ends a job and every open job below it: nothing new is admitted. What they hold stays held, so that running attempts can
 * settle in full; what is not settled or released is given back at its deadline. What a child did not spend of its grant,
 * and does not hold, returns to its parent.
 */
export function endJob(book: TenantBook, command: EndJob, now: Instant): Outcome {
  const { tenant } = book;
  const job = tenant && tenant.state !== "deleted" ? book.jobs.find(command.jobId) : null;
  if (!job) return refused("not_found", "There is no such job.");
  const { state } = command;
  if (job.state === state) {
    // Whoever is told that it is over finds what it gave back.
    parentBalances(book, job);
    return done(jobView(job));
  }
  if (job.state !== "open") return refused("job_not_open", `The job is ${job.state}.`);
  const below = book.openDescendants(job.id);
  const most = mostBelow(book);
  if (below.length > most)
    return refused("conflict", `More than ${most} jobs are open below it: end some of them first.`);
  const ending = [...below, job];
  const refusal = handOver(book, ending, now);
  if (refusal) return refusal;
  for (const one of ending) {
    one.state = state;
    one.closedAt = now;
    book.changes.jobs.add(one);
  }
  if (command.by) book.addAct({ ...command.by, at: now, act: "cancel", jobId: job.id });
  return done(jobView(job));
}
