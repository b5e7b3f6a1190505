import { CartesianGrid, Legend, Line, LineChart, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts";
import type { ChartProps } from "./series.js";
import css from "./time-lines.module.css";

const COLOURS = { main: "var(--hf-accent)", bad: "var(--hf-denied)", limit: "var(--hf-muted)" };

const clock = (at: unknown): string => new Date(Number(at)).toLocaleTimeString("en-GB");

/** Drawn by the chart library, which comes when it is first needed. */
export default function TimeLines({ label, rows, series }: ChartProps) {
  return (
    <figure className={css.figure} aria-label={label}>
      <ResponsiveContainer width="100%" height={210}>
        <LineChart data={[...rows]} margin={{ top: 6, right: 10, bottom: 0, left: -14 }} accessibilityLayer={false}>
          <CartesianGrid stroke="var(--hf-line)" vertical={false} />
          <XAxis dataKey="at" tickFormatter={clock} minTickGap={60} stroke="var(--hf-muted)" fontSize={12} />
          <YAxis allowDecimals={false} stroke="var(--hf-muted)" fontSize={12} />
          <Tooltip
            labelFormatter={clock}
            contentStyle={{ background: "var(--hf-surface)", border: "1px solid var(--hf-line)", borderRadius: 8 }}
          />
          <Legend />
          {series.map(({ name, title, tone, dashed }) => (
            <Line
              key={name}
              dataKey={name}
              name={title}
              stroke={COLOURS[tone]}
              strokeDasharray={dashed ? "5 4" : undefined}
              strokeWidth={2}
              dot={false}
              isAnimationActive={false}
            />
          ))}
        </LineChart>
      </ResponsiveContainer>
    </figure>
  );
}
