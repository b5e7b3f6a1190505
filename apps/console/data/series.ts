export interface Series {
  readonly name: string;
  readonly title: string;
  readonly tone: "main" | "bad" | "limit";
  readonly dashed?: boolean;
}

/** What was at one moment, milliseconds since 1970; null: not known. */
export interface Row {
  readonly at: number;
  readonly [series: string]: number | null;
}

/** A time in which something held, from one row to another. */
export interface Band {
  readonly from: number;
  readonly to: number;
  readonly tone: "bad" | "warned";
}

export interface ChartProps {
  /** What it shows, for whoever does not see it. */
  readonly label: string;
  readonly rows: readonly Row[];
  readonly series: readonly Series[];
  readonly bands?: readonly Band[];
}
