/** Rows as CSV. A text that a spreadsheet would run as a formula is kept a text by a quote before it. */
export function csvOf(head: readonly string[], rows: readonly (readonly (string | number | undefined)[])[]): string {
  return [head, ...rows].map((row) => row.map(cellOf).join(",")).join("\r\n") + "\r\n";
}

function cellOf(value: string | number | undefined): string {
  if (typeof value === "number") return String(value);
  const text = /^[=+\-@\t\r]/.test(value ?? "") ? `'${value}` : (value ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
