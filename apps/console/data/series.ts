export interface Series {
  readonly name: string;
  readonly title: string;
  readonly tone: "main" | "bad" | "limit";
  readonly dashed?: boolean;
}

export interface ChartProps {
  /** What it shows, for whoever does not see it. */
  readonly label: string;
  readonly rows: readonly { readonly at: number; readonly [series: string]: number | null }[];
  readonly series: readonly Series[];
}
