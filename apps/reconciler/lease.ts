import pg from "pg";
import { TASKS, type TaskName } from "#libs/reconcile";

/** First half of the advisory lock's key ("HOLD"); the second is the task. */
const LOCK_CLASS = 0x484f4c44;
/** A process that hangs stops asking, and the server then ends its session and with it the lock. */
const SILENCE_MS = 15_000;
const ASK_MS = 5_000;

export interface Lease {
  release(): Promise<void>;
}

/**
 * Takes the task for this process while it runs; null where another process has it. It only saves work: a lease that is
 * lost (the connection broke, the process hung) lets the task run twice at once, which every task bears.
 */
export async function takeLease(databaseUrl: string, task: TaskName): Promise<Lease | null> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 3_000,
    query_timeout: ASK_MS,
    application_name: "holdfast-lease",
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query(`SET idle_session_timeout = ${SILENCE_MS}`);
    const key = [LOCK_CLASS, TASKS.indexOf(task)];
    const { rows } = await client.query<{ taken: boolean }>("SELECT pg_try_advisory_lock($1, $2) AS taken", key);
    if (!rows[0]!.taken) {
      await client.end();
      return null;
    }
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
  const asking = setInterval(() => void client.query("SELECT 1").catch(() => undefined), ASK_MS);
  return {
    release: async () => {
      clearInterval(asking);
      await client.end().catch(() => undefined);
    },
  };
}
