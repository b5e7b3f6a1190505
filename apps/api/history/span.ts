import { HISTORY_STEPS_S } from "#libs/telemetry";
import { invalid } from "../problems/problem.js";
import type { SpanQuery } from "./history.dto.js";

const [FINE_MS, COARSE_MS] = HISTORY_STEPS_S.map((seconds) => seconds * 1_000) as [number, number];
const HOUR_MS = 3_600_000;
const LONGEST_MS = 31_536_000_000;
const DAY_MS = 86_400_000;
/** The most steps that an answer has. */
const MOST_STEPS = 1_000;
const USUAL_STEPS = 360;

/** A span of time in steps of one length, each of which begins at a multiple of it. */
export interface Span {
  /** When the first step begins, milliseconds since 1970. */
  readonly from: number;
  readonly stepMs: number;
  readonly steps: number;
  /** Length of the buckets that it is put together from, seconds. */
  readonly bucketS: number;
}

/** Throws Problem where there would be too many steps. `now`: milliseconds since 1970, by the record's clock. */
export function spanOf(query: SpanQuery, now: number): Span {
  const sinceMs = Number(query.sinceMs ?? HOUR_MS);
  const stepMs = query.stepMs === undefined ? usualStep(sinceMs) : Number(query.stepMs);
  if (sinceMs > LONGEST_MS) throw invalid([{ pointer: "/sinceMs", message: `must be at most ${LONGEST_MS}` }]);
  if (stepMs > DAY_MS) throw invalid([{ pointer: "/stepMs", message: `must be at most ${DAY_MS}` }]);
  if (sinceMs / stepMs > MOST_STEPS)
    throw invalid([{ pointer: "/stepMs", message: `must be longer: there may be ${MOST_STEPS} steps` }]);
  const from = Math.floor((now - sinceMs) / stepMs) * stepMs;
  const steps = Math.floor(now / stepMs) - from / stepMs + 1;
  return { from, stepMs, steps, bucketS: (stepMs % COARSE_MS === 0 ? COARSE_MS : FINE_MS) / 1_000 };
}

function usualStep(sinceMs: number): number {
  const shortest = sinceMs <= HOUR_MS ? FINE_MS : COARSE_MS;
  return Math.ceil(sinceMs / USUAL_STEPS / shortest) * shortest;
}
