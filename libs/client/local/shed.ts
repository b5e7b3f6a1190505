import type { GateReason } from "#libs/flow/machines";

/** `cost_exceeds_burst`: more tokens than the bucket ever holds. */
export type ShedCode = GateReason | "queue_full";

/** Refused for lack of capacity. Nothing was taken. */
export class Shed extends Error {
  override readonly name = "Shed";

  constructor(
    readonly code: ShedCode,
    /** Whoever asks again after so long and is alone is let through, as far as can be known. Null: waiting never helps. */
    readonly retryAfterMs: number | null,
  ) {
    super(`refused: ${code.replaceAll("_", " ")}`);
  }
}
