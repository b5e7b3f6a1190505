import { FINDING_KINDS, type FindingKind } from "./findings.js";
import { groupBy } from "./group.js";
import type { Result } from "./run.js";

type Column = readonly [name: string, width: number, of: (result: Result) => string];

const COLUMNS: readonly Column[] = [
  ["seed", 10, ({ seed }) => String(seed)],
  ["redis", 8, ({ redis }) => redis],
  ["s", 4, ({ seconds }) => String(seconds)],
  ["operations", 11, ({ operations }) => operations.toLocaleString("en")],
  ["requests", 9, ({ requests }) => requests.toLocaleString("en")],
  ["unknown", 8, ({ unknown }) => unknown.toLocaleString("en")],
  ["faults", 7, ({ faults }) => String(faults.length)],
  ...FINDING_KINDS.map((kind): Column => [
    kind,
    Math.max(5, kind.length) + 1,
    (result) => String(countOf(kind, result)),
  ]),
  ["deadlines", 9, ({ deadlines }) => deadlines.toLocaleString("en")],
  ["recovery", 10, ({ recoveryMs }) => `${(recoveryMs / 1_000).toFixed(2)} s`],
];

function countOf(kind: FindingKind, { findings }: Result): number {
  return findings.filter((one) => one.kind === kind).length;
}

export const HEADER = COLUMNS.map(([name, width]) => name.padStart(width)).join(" ");

export function row(result: Result): string {
  return COLUMNS.map(([, width, of]) => of(result).padStart(width)).join(" ");
}

/** How often each fault was there, over all runs, and how long it took at most. */
export function faultLines(results: readonly Result[]): string[] {
  const byName = groupBy(
    results.flatMap(({ faults }) => faults),
    ({ name }) => name,
  );
  return [...byName]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, done]) => {
      const longest = Math.max(...done.map(({ tookMs }) => tookMs)) / 1_000;
      return `${String(done.length).padStart(5)}  ${name.padEnd(30)} ${longest.toFixed(1).padStart(5)} s at most`;
    });
}
