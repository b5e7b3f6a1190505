import {
  CartesianGrid,
  Legend,
  Line,
  LineChart,
  ReferenceArea,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from "recharts";
import type { ChartProps } from "./series.js";
import css from "./time-lines.module.css";

const COLOURS = { main: "var(--hf-accent)", bad: "var(--hf-denied)", limit: "var(--hf-muted)" };

const GROUNDS = { bad: "var(--hf-denied-soft)", warned: "var(--hf-warned-soft)" };

const DAY_MS = 86_400_000;

const clock = (at: unknown): string => new Date(Number(at)).toLocaleTimeString("en-GB");
const date = (at: unknown): string =>
  new Date(Number(at)).toLocaleString("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

/** Short enough for the room beside an axis, whatever the amount. */
const brief = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 2 });

/** Drawn by the chart library, which comes when it is first needed. */
export default function TimeLines({ label, rows, series, bands = [] }: ChartProps) {
  // Less than one a second would lie flat on an axis of whole numbers.
  const hasParts = rows.some((row) => series.some(({ name }) => !Number.isInteger(row[name] ?? 0)));
  const moment = rows.at(-1)!.at - rows[0]!.at > DAY_MS ? date : clock;
  return (
    <figure className={css.figure} aria-label={label}>
      <ResponsiveContainer width="100%" height={210}>
        <LineChart data={[...rows]} margin={{ top: 6, right: 10, bottom: 0, left: -14 }} accessibilityLayer={false}>
          <CartesianGrid stroke="var(--hf-line)" vertical={false} />
          <XAxis
            dataKey="at"
            type="number"
            scale="time"
            domain={["dataMin", "dataMax"]}
            tickFormatter={moment}
            minTickGap={60}
            stroke="var(--hf-muted)"
            fontSize={12}
          />
          <YAxis
            allowDecimals={hasParts}
            tickFormatter={(value: number) => brief.format(value)}
            stroke="var(--hf-muted)"
            fontSize={12}
          />
          <Tooltip
            labelFormatter={moment}
            contentStyle={{ background: "var(--hf-surface)", border: "1px solid var(--hf-line)", borderRadius: 8 }}
          />
          <Legend />
          {bands.map(({ from, to, tone }) => (
            <ReferenceArea key={from} x1={from} x2={to} fill={GROUNDS[tone]} fillOpacity={0.9} />
          ))}
          {series.map(({ name, title, tone, dashed }) => (
            <Line
              key={name}
              dataKey={name}
              name={title}
              stroke={COLOURS[tone]}
              strokeDasharray={dashed ? "5 4" : undefined}
              strokeWidth={2}
              dot={false}
              connectNulls
              isAnimationActive={false}
            />
          ))}
        </LineChart>
      </ResponsiveContainer>
    </figure>
  );
}
