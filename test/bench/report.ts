import type { Result } from "./load.js";

export interface Line extends Result {
  readonly what: string;
  readonly redis: boolean;
  readonly tenants: number;
  readonly inFlight: number;
}

export interface Goal {
  readonly name: string;
  readonly reached: number;
  readonly wanted: number;
  /** The figure must be at least what is wanted, or at most. */
  readonly least: boolean;
}

export function row(line: Line, echo: number): string {
  const cells = [
    line.what.padEnd(20),
    (line.redis ? "redis" : "no redis").padEnd(9),
    String(line.tenants).padStart(7),
    String(line.inFlight).padStart(9),
    Math.round(line.rate).toLocaleString("en").padStart(9),
    line.p50.toFixed(2).padStart(8),
    line.p99.toFixed(2).padStart(8),
    Math.round(line.cpu).toString().padStart(8),
    (line.rate / echo).toFixed(3).padStart(8),
  ];
  return cells.join(" ");
}

export const HEADER = [
  "what".padEnd(20),
  "with".padEnd(9),
  "tenants".padStart(7),
  "in flight".padStart(9),
  "op/s".padStart(9),
  "p50 ms".padStart(8),
  "p99 ms".padStart(8),
  "cpu µs".padStart(8),
  "of echo".padStart(8),
].join(" ");

export function goalLine({ name, reached, wanted, least }: Goal): string {
  const ok = least ? reached >= wanted : reached <= wanted;
  return `${ok ? "reached" : "MISSED "}  ${name}: ${reached.toFixed(2)} (wanted ${least ? "≥" : "≤"} ${wanted})`;
}
