import type { Api } from "../api/api.js";
import { idOf } from "../reservation/options.js";
import type { FanOutOptions } from "./types.js";

export interface RunJob {
  readonly id: string;
  /** Made for the run, and ended with it. */
  readonly own: boolean;
}

/** The job of a run: the given one, or a new one. */
export async function runJob(
  api: Api,
  { job = {}, idempotencyKey }: FanOutOptions,
  signal: AbortSignal,
): Promise<RunJob> {
  if (typeof job === "string" || "id" in job) return { id: idOf(job), own: false };
  const key = idempotencyKey === undefined ? undefined : `${idempotencyKey}:job`;
  const { id } = await api.jobs.create(job, { signal, idempotencyKey: key });
  return { id, own: true };
}

/** An open job holds nothing by itself, so a service that does not answer here costs nothing. */
export async function endRunJob(api: Api, { id, own }: RunJob, aborted: boolean): Promise<void> {
  if (!own) return;
  const end = aborted ? api.jobs.cancel(id) : api.jobs.close(id);
  await end.catch(() => undefined);
}
