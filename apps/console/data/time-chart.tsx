import { lazy, Suspense } from "react";
import type { ChartProps } from "./series.js";
import css from "./time-lines.module.css";

const TimeLines = lazy(() => import("./time-lines.js"));

/** Figures over time. */
export function TimeChart(props: ChartProps) {
  const waiting = <p className={css.waiting}>The first figures come in a moment …</p>;
  if (props.rows.length < 2) return waiting;
  return (
    <Suspense fallback={waiting}>
      <TimeLines {...props} />
    </Suspense>
  );
}
