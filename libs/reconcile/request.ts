import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { newId } from "#libs/ledger";
import { migrateQueue, openQueue, openQueuePool, type TaskQueue } from "./queue.js";
import { RUN_COLUMNS, runView, type RunRow, type RunView, type TaskName } from "./runs.js";

const POLL_MS = 50;

/**
 * Asks whatever reconciler there is to run tasks now, and waits for the runs. A task that was not finished within
 * `waitMs` is missing in the answer: no reconciler is there, it is still at work, or the same task runs elsewhere.
 * @throws the driver's error where the record cannot be reached.
 */
export async function requestRuns(databaseUrl: string, tasks: readonly TaskName[], waitMs = 5_000): Promise<RunView[]> {
  const pool = openQueuePool(databaseUrl);
  try {
    await migrateQueue(pool);
    return await request(pool, tasks, waitMs);
  } finally {
    await pool.end();
  }
}

async function request(pool: pg.Pool, tasks: readonly TaskName[], waitMs: number): Promise<RunView[]> {
  const queue = openQueue(pool);
  // Whoever awaits a call gets its error; an event without a listener would end the process.
  queue.on("error", () => undefined);
  try {
    const ids = await order(queue, tasks);
    const runs = await finishedRuns(pool, ids, waitMs);
    await withdraw(
      queue,
      ids.filter((id) => !runs.some((run) => run.id === id)),
    );
    return runs;
  } finally {
    await queue.close();
  }
}

/** One job a task; a job has the id of its run. */
async function order(queue: TaskQueue, tasks: readonly TaskName[]): Promise<string[]> {
  const ids = tasks.map(() => newId("run"));
  const orderOf = (task: TaskName, runId: string) =>
    ({ name: task, data: { trigger: "manual", runId }, opts: { jobId: runId } }) as const;
  await queue.addBulk(tasks.map((task, i) => orderOf(task, ids[i]!)));
  return ids;
}

async function finishedRuns(pool: pg.Pool, ids: readonly string[], waitMs: number): Promise<RunView[]> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const { rows } = await pool.query<RunRow>(
      `SELECT ${RUN_COLUMNS} FROM reconcile_runs WHERE id = ANY($1::text[]) ORDER BY array_position($1::text[], id)`,
      [ids],
    );
    if (rows.length === ids.length || performance.now() > deadline) return rows.map(runView);
    await sleep(POLL_MS);
  }
}

/** A job that nobody took shall not run when the asker has long gone; one that is at work stays. */
async function withdraw(queue: TaskQueue, ids: readonly string[]): Promise<void> {
  await Promise.allSettled(ids.map((id) => queue.remove(id)));
}
