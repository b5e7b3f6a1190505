/** What a person reads: one aligned line a decision as it comes, then the totals next to the model's. */
import { type Difference, type Facts, type LabInputs, type LabRun, type Totals, predicted } from "#libs/plan";

interface Column<Row> {
  readonly title: string;
  readonly text: (row: Row) => string;
  readonly align?: "left";
}

const shown = (value: string | number | null): string => (value === null ? "-" : String(value));

const DECISION_COLUMNS: readonly Column<Facts>[] = [
  { title: "job", text: ({ job }) => String(job) },
  { title: "requested", text: ({ requested }) => String(requested) },
  { title: "decision", text: ({ outcome }) => outcome, align: "left" },
  { title: "scope", text: ({ scope }) => shown(scope), align: "left" },
  { title: "code", text: ({ code }) => shown(code), align: "left" },
  { title: "limit", text: ({ limit }) => shown(limit) },
  { title: "spent", text: ({ spent }) => shown(spent) },
  { title: "reserved", text: ({ reserved }) => shown(reserved) },
  { title: "available", text: ({ available }) => shown(available) },
  { title: "max children", text: ({ maxChildren }) => shown(maxChildren) },
  { title: "tenant has left", text: ({ tenantAvailable }) => String(tenantAvailable) },
];

const TOTAL_COLUMNS: readonly Column<{ name: string; totals: Totals }>[] = [
  { title: "totals", text: ({ name }) => name, align: "left" },
  { title: "planned", text: ({ totals }) => String(totals.planned) },
  { title: "admitted", text: ({ totals }) => String(totals.admitted) },
  { title: "denied", text: ({ totals }) => String(totals.denied) },
  { title: "observed", text: ({ totals }) => String(totals.observed) },
  { title: "reserved", text: ({ totals }) => String(totals.reserved) },
  { title: "consumed", text: ({ totals }) => String(totals.consumed) },
  { title: "over allowance", text: ({ totals }) => String(totals.overAllowance) },
];

export function introduction({ inputs, perJobPlanned }: LabRun, url: string): string {
  const { jobs, children, attempts, cost, jobAllowance, tenantAllowance, mode }: LabInputs = inputs;
  return [
    `Lab against ${url}`,
    `A job plans ${children} children × ${attempts} attempts × ${cost} units = ${perJobPlanned}; ${jobs} jobs plan ${jobs * perJobPlanned}.`,
    `Job allowance ${jobAllowance}, tenant allowance ${tenantAllowance}, mode ${mode}.`,
    "",
  ].join("\n");
}

/**
 * The table of decisions, one line at a time. Lines are printed before the last is known, so the widths come from what
 * the model predicts; only a decision that differs from it can be wider.
 */
export function decisionTable(model: LabRun): { header: string; line: (facts: Facts) => string } {
  const widths = widthsOf(DECISION_COLUMNS, model.decisions.map(predicted));
  return { header: header(DECISION_COLUMNS, widths), line: (facts) => line(DECISION_COLUMNS, widths, facts) };
}

export function conclusion(measured: Totals, model: Totals, differences: readonly Difference[]): string {
  const rows = [
    { name: "measured", totals: measured },
    { name: "model", totals: model },
  ];
  const widths = widthsOf(TOTAL_COLUMNS, rows);
  const agrees = differences.length === 0;
  return [
    "",
    header(TOTAL_COLUMNS, widths),
    ...rows.map((row) => line(TOTAL_COLUMNS, widths, row)),
    "",
    agrees ? "The run did what the model predicts." : `The run differs from the model (${differences.length}):`,
    ...differences.map(
      (one) => `  ${one.where}: ${one.field} is ${String(one.measured)}, the model says ${String(one.model)}`,
    ),
  ].join("\n");
}

function widthsOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): number[] {
  return columns.map(({ title, text }) => Math.max(title.length, ...rows.map((row) => text(row).length)));
}

function header<Row>(columns: readonly Column<Row>[], widths: readonly number[]): string {
  return cells(columns, widths, (column) => column.title);
}

function line<Row>(columns: readonly Column<Row>[], widths: readonly number[], row: Row): string {
  return cells(columns, widths, (column) => column.text(row));
}

type Cell<Row> = (column: Column<Row>) => string;

function cells<Row>(columns: readonly Column<Row>[], widths: readonly number[], of: Cell<Row>): string {
  const padded = columns.map((column, index) => {
    const width = widths[index] ?? 0;
    return column.align === "left" ? of(column).padEnd(width) : of(column).padStart(width);
  });
  return padded.join("  ").trimEnd();
}
