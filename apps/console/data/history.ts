import type { History } from "../api/types.js";
import type { Row } from "./series.js";

/** What an overview shows of a history, a row a step. Counts are told a second; what is missing is null. */
export interface Figures {
  /** `admitted`, `denied` and `shed` a second, and how many callers wait. */
  readonly work: readonly Row[];
  /** By unit: `reserved` then, and `spent` since the first step. */
  readonly amounts: ReadonlyMap<string, readonly Row[]>;
}

const PER_SECOND = ["admitted", "denied", "shed"] as const;

/** The step that goes on is left out: it has not counted all yet. */
export function figuresOver({ from, stepMs, data }: Pick<History, "from" | "stepMs" | "data">): Figures {
  const begin = Date.parse(from);
  const steps = Math.max(0, (data[0]?.values.length ?? 1) - 1);
  const rows = (columns: Readonly<Record<string, (step: number) => number | null>>): Row[] =>
    Array.from({ length: steps }, (_, step) => ({
      at: begin + step * stepMs,
      ...Object.fromEntries(Object.entries(columns).map(([name, value]) => [name, value(step)])),
    }));
  const named = (name: string) => data.filter((series) => series.name === name);
  const one = (name: string, label: string) => named(name).find((series) => series.label === label)?.values ?? [];
  const sum = (values: readonly (number | null)[]) => values.reduce<number>((all, value) => all + (value ?? 0), 0);
  const rate = (name: string) => (step: number) =>
    rounded(sum(named(name).map(({ values }) => values[step] ?? 0)) / (stepMs / 1_000));
  const last = (name: string, label: string) => (step: number) => one(name, label)[step] ?? null;
  const inAll = (name: string, label: string) => (step: number) => sum(one(name, label).slice(0, step + 1));
  const units = [...new Set([...named("reserved"), ...named("spent")].map(({ label }) => label))].sort();
  return {
    work: rows({ ...Object.fromEntries(PER_SECOND.map((name) => [name, rate(name)])), waiting: last("waiting", "") }),
    amounts: new Map(
      units.map((unit) => [unit, rows({ reserved: last("reserved", unit), spent: inAll("spent", unit) })]),
    ),
  };
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
