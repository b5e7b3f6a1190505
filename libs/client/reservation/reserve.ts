import type { Api, ReserveRequest } from "../api/api.js";
import type { ReservationView } from "../api/types.js";
import type { Closer } from "../closing/closing.js";
import type { CallOptions } from "../http/sender.js";

/** How long a reservation that its caller gave up is looked for; after that its deadline returns it. */
const LEAVE = { tries: 3, totalMs: 5_000 };

/**
 * Reserves. Where the signal is aborted meanwhile, the request may have taken effect all the same: asked again under the same
 * key it says which reservation that is, and that one is released.
 * @param begin is part of it: what it throws is thrown.
 */
export async function reserveOrLeave(
  { api, closer }: { readonly api: Api; readonly closer: Closer },
  jobId: string,
  ask: ReserveRequest,
  { signal, idempotencyKey = globalThis.crypto.randomUUID(), ...call }: CallOptions,
  begin?: (reservationId: string) => Promise<void>,
): Promise<ReservationView> {
  const keyed = { ...call, idempotencyKey };
  try {
    const reservation = await api.reservations.reserve(jobId, ask, { ...keyed, signal });
    await begin?.(reservation.id);
    signal?.throwIfAborted();
    return reservation;
  } catch (error) {
    if (signal?.aborted) await leave();
    throw error;
  }

  async function leave(): Promise<void> {
    try {
      const { id } = await api.reservations.reserve(jobId, ask, { ...keyed, retries: LEAVE });
      await closer.close({ reservationId: id, finishes: [], actual: null });
    } catch {
      // It was refused, so there is none; or the service does not answer, and the deadline returns it.
    }
  }
}
