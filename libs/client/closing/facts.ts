import type { Amounts, FinishBody } from "../api/types.js";

/** An attempt whose end the service has not acknowledged. */
export interface OpenFinish {
  readonly permitId: string;
  readonly body: FinishBody;
}

/** Everything that is left to say of a reservation: facts, which stay the same however often they are sent. */
export interface Closing {
  readonly reservationId: string;
  /** Told before the reservation is settled, since nothing can be charged after that. */
  readonly finishes: readonly OpenFinish[];
  /** What was used besides; null where nothing was ever used, so that it is released. */
  readonly actual: Amounts | null;
}
