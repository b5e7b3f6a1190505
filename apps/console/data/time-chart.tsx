import { CartesianGrid, Legend, Line, LineChart, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts";
import css from "./time-chart.module.css";

export interface Series {
  readonly name: string;
  readonly title: string;
  readonly tone: "main" | "bad" | "limit";
  readonly dashed?: boolean;
}

interface Props {
  /** What it shows, for whoever does not see it. */
  readonly label: string;
  readonly rows: readonly { readonly at: number; readonly [series: string]: number | null }[];
  readonly series: readonly Series[];
}

const COLOURS = { main: "var(--hf-accent)", bad: "var(--hf-denied)", limit: "var(--hf-muted)" };

const clock = (at: unknown): string => new Date(Number(at)).toLocaleTimeString("en-GB");

/** Figures over time, since the page was opened. */
export function TimeChart({ label, rows, series }: Props) {
  if (rows.length < 2) return <p className={css.waiting}>The first figures come in a moment …</p>;
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
