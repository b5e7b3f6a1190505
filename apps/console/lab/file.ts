/** The lab's file: what the page saves, and the same file read back. */
import { type LabInputs, type LabRun, runModel, validateInputs } from "#libs/plan";

const FORMAT = "holdfast-lab";
const VERSION = 1;
/** The largest file of the lab, a hundred denied jobs, is a fifth of it. */
export const MOST_BYTES = 512 * 1024;

interface LabFile {
  readonly format: typeof FORMAT;
  readonly version: typeof VERSION;
  readonly inputs: LabInputs;
  readonly outcomes: LabRun["totals"] & { readonly perJobPlanned: number };
  readonly steps: LabRun["decisions"];
}

export type Imported =
  { readonly ok: true; readonly inputs: LabInputs } | { readonly ok: false; readonly reason: string };

export function writeFile(run: LabRun): string {
  return `${JSON.stringify(fileOf(run), null, 2)}\n`;
}

/** Reads a file of the lab. One whose outcomes or steps do not follow from its inputs is refused, not silently computed anew. */
export function readFile(text: string): Imported {
  if (new TextEncoder().encode(text).length > MOST_BYTES) return refused("It is larger than any file of the lab.");
  const value = parsed(text);
  if (value === undefined) return refused("It is not JSON.");
  if (typeof value !== "object" || value === null || Array.isArray(value)) return refused("It holds no object.");
  const { format, version, inputs } = value as Partial<LabFile>;
  if (format !== FORMAT) return refused(`It is not a file of the lab: its "format" is not "${FORMAT}".`);
  if (version !== VERSION) return refused(`Its "version" must be ${VERSION}.`);
  const checked = validateInputs(inputs);
  if (!checked.ok) return refused(checked.errors.map(({ field, message }) => `${field} ${message}`).join("; ") + ".");
  const expected = fileOf(runModel(checked.inputs));
  const different = Object.keys({ ...expected, ...value }).find(
    (part) => canonical(expected[part as keyof LabFile]) !== canonical((value as Record<string, unknown>)[part]),
  );
  if (different !== undefined) return refused(`Its "${different}" does not follow from its inputs: it was changed.`);
  return { ok: true, inputs: checked.inputs };
}

function fileOf({ inputs, perJobPlanned, totals, decisions }: LabRun): LabFile {
  return { format: FORMAT, version: VERSION, inputs, outcomes: { perJobPlanned, ...totals }, steps: decisions };
}

function refused(reason: string): Imported {
  return { ok: false, reason };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The same text for the same value, in whatever order a tool wrote its members. */
function canonical(value: unknown): string {
  const sorted = (_: string, inner: unknown): unknown =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner;
  return JSON.stringify(value, sorted) ?? "";
}
