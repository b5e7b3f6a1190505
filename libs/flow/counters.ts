import type { RefusalReason } from "./machines/permit.js";

/** What became of the callers of this process since it started. */
export class FlowCounters {
  granted = 0;
  /** By the reason that they were told. */
  readonly refused: Partial<Record<RefusalReason, number>> = {};
  /** Callers that waited, however it ended. */
  waited = 0;
  /** Callers that went away before they had an answer. */
  aborted = 0;
  /** Decisions that this process made alone because the shared store did not. */
  fallbacks = 0;
  /** Ends of permits that the shared store did not hear of; those leases end by themselves. */
  unheard = 0;

  refuse(reason: RefusalReason): void {
    this.refused[reason] = (this.refused[reason] ?? 0) + 1;
  }
}
