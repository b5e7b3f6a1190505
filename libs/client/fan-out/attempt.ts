import type { Api } from "../api/api.js";
import type { Amounts, Outcome, PermitView } from "../api/types.js";
import type { OpenFinish } from "../closing/facts.js";
import { metersOf } from "../reservation/with-reservation.js";
import { keepAlive } from "../work/keep-alive.js";
import { verdictOn, type Verdict } from "../work/outcome.js";
import { runWork, type Ended } from "../work/run.js";
import { Spending, type Spent } from "../work/spending.js";
import type { AttemptContext } from "./types.js";

export interface AttemptOptions {
  readonly planned: Amounts;
  readonly signal: AbortSignal;
  readonly timeoutMs: number | undefined;
  readonly graceMs: number;
}

export interface AttemptEnd<R> {
  readonly ended: Ended<R>;
  readonly outcome: Outcome;
  readonly spent: Spent;
  /** Its end, where the service has not acknowledged it. */
  readonly open: OpenFinish | undefined;
}

/** Runs one attempt under its permit, and tells what it used. Never rejects. */
export async function runAttempt<R>(
  api: Api,
  permit: PermitView,
  work: (context: Pick<AttemptContext, "use" | "watch" | "planned" | "signal">) => Promise<R> | R,
  { planned, signal, timeoutMs, graceMs }: AttemptOptions,
): Promise<AttemptEnd<R>> {
  const spending = new Spending(planned);
  const beat = (stop: AbortSignal) => api.permits.heartbeat(permit.id, { signal: stop, retries: { tries: 1 } });
  // A permit that has ended frees its place; the attempt goes on, and what it used is charged all the same.
  const alive = keepAlive(permit.leaseMs, beat, () => undefined);
  const meters = metersOf(spending);
  const ended = await runWork((own) => work({ ...meters, signal: own }), { signal, timeoutMs, graceMs });
  alive.stop();
  const { outcome, refused } = verdictOf(ended);
  const spent = spending.total({ refused });
  const finish = { permitId: permit.id, body: { outcome, actual: { ...spent.actual } } };
  const open = await api.permits.finish(finish.permitId, finish.body).then(
    () => undefined,
    () => finish,
  );
  return { ended, outcome, spent, open };
}

function verdictOf(ended: Ended<unknown>): Verdict {
  if (ended.status === "returned") return { outcome: "succeeded", refused: false };
  if (ended.status === "threw") return verdictOn(ended.error);
  return { outcome: ended.timedOut ? "overloaded" : "cancelled", refused: false };
}
