import { HISTORY_STEPS_S } from "#libs/telemetry";
import { invalid } from "../problems/problem.js";
import type { SpanQuery } from "./history.dto.js";

const BUCKETS_MS = HISTORY_STEPS_S.map((seconds) => seconds * 1_000);
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** The most buckets that one figure is put together from: what bounds both the answer and the time it takes. */
const MOST_BUCKETS = 1_000;
const LONGEST_MS = MOST_BUCKETS * HOUR_MS;
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

/** Throws Problem where it would take too many buckets. `now`: milliseconds since 1970, by the record's clock. */
export function spanOf(query: SpanQuery, now: number): Span {
  const sinceMs = Number(query.sinceMs ?? HOUR_MS);
  const stepMs = query.stepMs === undefined ? usualStep(sinceMs) : Number(query.stepMs);
  const bucketMs = BUCKETS_MS.findLast((bucket) => stepMs % bucket === 0)!;
  if (sinceMs > LONGEST_MS) throw invalid([{ pointer: "/sinceMs", message: `must be at most ${LONGEST_MS}` }]);
  if (stepMs > DAY_MS) throw invalid([{ pointer: "/stepMs", message: `must be at most ${DAY_MS}` }]);
  if (sinceMs / bucketMs > MOST_BUCKETS)
    throw invalid([
      { pointer: "/stepMs", message: "must be a longer one, of whole 300000 or 3600000, for so long a time" },
    ]);
  const from = Math.floor((now - sinceMs) / stepMs) * stepMs;
  const steps = Math.floor(now / stepMs) - from / stepMs + 1;
  return { from, stepMs, steps, bucketS: bucketMs / 1_000 };
}

function usualStep(sinceMs: number): number {
  return BUCKETS_MS.find((bucket) => sinceMs / bucket <= USUAL_STEPS) ?? BUCKETS_MS.at(-1)!;
}
