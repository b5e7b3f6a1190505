import type { Api } from "../api/api.js";
import type { Amounts, ReservationView } from "../api/types.js";
import type { Closer } from "../closing/closing.js";
import { keepAlive } from "../work/keep-alive.js";
import { linked } from "../http/signals.js";
import { verdictOn } from "../work/outcome.js";
import { runWork, type Ended } from "../work/run.js";
import { Spending } from "../work/spending.js";
import { idOf, type JobRef, type ReservationContext, type WithReservationOptions } from "./options.js";
import { reserveOrLeave } from "./reserve.js";

export const TTL_MS = 60_000;
export const GRACE_MS = 5_000;

export interface Parts {
  readonly api: Api;
  readonly closer: Closer;
}

/**
 * Holds amounts while `work` runs, and settles what it used. However it ends, exactly one of settle and release takes effect:
 * - it returns or throws: what it told is settled; what it did not tell counts as planned, unless the error is a service's
 *   own refusal (an HTTP status of 4xx but 408, 503 or 529), which uses nothing;
 * - it is told to stop (the caller's signal, the time limit, the end of the job): it is waited for `graceMs`, then the same;
 * - it never started: released.
 * @throws what the work throws; Denied where it does not fit; a StateRefused where the key is that of a reservation that has
 * ended; NotSettled where what was used could not be booked.
 */
export async function withReservation<R>(
  { api, closer }: Parts,
  [job, amounts]: readonly [JobRef, Amounts],
  work: (context: ReservationContext) => Promise<R> | R,
  options: WithReservationOptions = {},
): Promise<R> {
  const { signal, ttlMs = TTL_MS, graceMs = GRACE_MS, timeoutMs, idempotencyKey, service, onClosed } = options;
  const ask = { amounts: { ...amounts }, ttlMs, ...(service !== undefined && { service }) };
  const begin = async (id: string): Promise<void> => {
    // A key of the caller's may find one that has ended since: nothing is held for the work then, so it must not run.
    if (idempotencyKey !== undefined) await api.reservations.extend(id, ttlMs, { signal });
  };
  const call = { signal, idempotencyKey };
  const { id: reservationId } = await reserveOrLeave({ api, closer }, idOf(job), ask, call, begin);

  const spending = new Spending(amounts);
  const owner = linked(signal);
  const alive = keepAlive(ttlMs, (stop) => extend(api, reservationId, ttlMs, stop), owner.abort);
  const ended = await runWork((own) => work(contextOf(reservationId, spending, own)), {
    signal: owner.signal,
    timeoutMs,
    graceMs,
  });
  alive.stop();
  owner.unlink();

  const spent = spending.total({ refused: ended.status === "threw" && verdictOn(ended.error).refused });
  const as = await closer.close({ reservationId, finishes: [], actual: spent.actual });
  onClosed?.({ reservationId, as, ...spent });
  return valueOf(ended);
}

export function extend(api: Api, reservationId: string, ttlMs: number, signal: AbortSignal): Promise<ReservationView> {
  // The next beat is the retry.
  return api.reservations.extend(reservationId, ttlMs, { signal, retries: { tries: 1 } });
}

function contextOf(reservationId: string, spending: Spending, signal: AbortSignal): ReservationContext {
  return { reservationId, signal, ...metersOf(spending) };
}

export function metersOf(spending: Spending) {
  return {
    planned: spending.planned,
    use: (amounts: Amounts): void => spending.add(amounts),
    watch: <W extends Parameters<Spending["watch"]>[0]>(watched: W): W => {
      spending.watch(watched);
      return watched;
    },
  };
}

function valueOf<R>(ended: Ended<R>): R {
  if (ended.status === "returned") return ended.value;
  throw ended.error;
}
