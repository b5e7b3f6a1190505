import type { ServiceDetail, ServiceHistory } from "../api/types.js";
import type { Sample } from "../data/use-samples.js";

/** How a service stood at one moment; null: nobody looked. */
export interface Standing {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly inFlight: number | null;
  readonly places: number | null;
  readonly breaker: string | null;
}

/** What the record has, and behind it what was told since. */
export function standingOver(history: ServiceHistory, samples: readonly Sample<ServiceDetail["live"]>[]): Standing[] {
  const begin = Date.parse(history.from);
  const recorded = history.inFlight.map((inFlight, step) => ({
    at: begin + step * history.stepMs,
    inFlight,
    places: history.places[step] ?? null,
    breaker: history.breaker[step] ?? null,
  }));
  const last = recorded.findLastIndex(({ inFlight }) => inFlight !== null);
  const end = recorded[last]?.at ?? begin;
  const told = samples
    .filter(({ at }) => at > end)
    .map(({ at, value: { inFlight, places, breaker } }) => ({ at, inFlight, places, breaker }));
  return [...recorded.slice(0, last + 1), ...told];
}
