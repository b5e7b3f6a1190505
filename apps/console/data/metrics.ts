/** The figures that the API shows as text, in the format of Prometheus. */

export interface Figure {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)(?: \d+)?$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;
const ESCAPES: Readonly<Record<string, string>> = { "\\n": "\n", '\\"': '"', "\\\\": "\\" };

/** Lines that are no figure, such as help and types, are left out. */
export function figuresOf(text: string): Figure[] {
  return text.split("\n").flatMap((line) => {
    const [, name, labels = "", value] = LINE.exec(line) ?? [];
    if (name === undefined || Number.isNaN(Number(value))) return [];
    const pairs = [...labels.matchAll(LABEL)].map(([, label, escaped]) => [label, plain(escaped!)]);
    return [{ name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) }];
  });
}

export function sumOf(
  figures: readonly Figure[],
  name: string,
  where: (labels: Figure["labels"]) => boolean = () => true,
): number {
  return figures
    .filter((figure) => figure.name === name && where(figure.labels))
    .reduce((sum, { value }) => sum + value, 0);
}

function plain(escaped: string): string {
  return escaped.replace(/\\[n"\\]/g, (pair) => ESCAPES[pair] ?? pair);
}
