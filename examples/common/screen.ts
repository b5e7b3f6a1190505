const WIDTH = 30;

/** A line that fills while work goes on. Where nobody watches (a file, a pipe) it is written once, at the end. */
export class ProgressBar {
  private shown = "";

  constructor(
    private readonly label: string,
    private readonly out: NodeJS.WriteStream = process.stdout,
  ) {}

  show(done: number, total: number, note = ""): void {
    const filled = Math.round((WIDTH * done) / total);
    this.shown = `${this.label} [${"#".repeat(filled).padEnd(WIDTH, ".")}] ${done}/${total} ${note}`.trimEnd();
    if (this.out.isTTY) this.out.write(`\r${this.shown}\u001b[K`);
  }

  end(): void {
    this.out.write(this.out.isTTY ? "\n" : `${this.shown}\n`);
  }
}

/** Columns under their names: text to the left, numbers to the right. */
export function printTable(rows: readonly Readonly<Record<string, string | number>>[]): void {
  const names = Object.keys(rows[0] ?? {});
  const widths = names.map((name) => Math.max(name.length, ...rows.map((row) => String(row[name]).length)));
  const line = (cells: readonly (string | number)[]): string =>
    cells
      .map((cell, i) => (typeof cell === "number" ? String(cell).padStart(widths[i]!) : cell.padEnd(widths[i]!)))
      .join("  ")
      .trimEnd();
  console.log([line(names), line(widths.map((width) => "-".repeat(width)))].join("\n"));
  for (const row of rows) console.log(line(names.map((name) => row[name]!)));
}
