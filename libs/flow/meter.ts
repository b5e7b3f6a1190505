import type { Outcome } from "./machines/outcome.js";
import type { Refusal } from "./machines/permit.js";

/** Whose permit it is, and at which service; null where no service is bounded. */
export interface Metered {
  readonly tenantId: string;
  readonly service: string | null;
}

/**
 * What flow control tells whoever counts. Calls come at once, in the process in which it happened, and must not fail. How
 * it is counted, named and shown is not part of it.
 */
export interface FlowMeter {
  granted(of: Metered): void;
  refused(of: Metered, refusal: Refusal): void;
  /** A caller has to wait, however that will end. */
  waits(of: Metered): void;
  /** A caller went away before it had an answer. */
  aborted(of: Metered): void;
  /** A permit was ended, for the first time. */
  finished(of: Metered, outcome: Outcome): void;
  /** A store took so many milliseconds to decide. */
  decided(ms: number): void;
  /** This process decided alone because the shared store did not. */
  decidedAlone(): void;
  /** The shared store did not hear of the end of a permit; its lease ends by itself. */
  unheard(): void;
}

/** Counts nothing. */
export const NO_METER: FlowMeter = {
  granted: () => undefined,
  refused: () => undefined,
  waits: () => undefined,
  aborted: () => undefined,
  finished: () => undefined,
  decided: () => undefined,
  decidedAlone: () => undefined,
  unheard: () => undefined,
};
