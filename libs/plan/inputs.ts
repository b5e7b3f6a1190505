/** The lab's inputs: their ranges, labels and defaults, once, for the command line, the page and imported files. */

export type LabMode = "enforce" | "observe";

export interface LabInputs {
  readonly jobs: number;
  /** A job. */
  readonly children: number;
  /** A child, the first try included. */
  readonly attempts: number;
  /** An attempt, in `units`. */
  readonly cost: number;
  /** Limit of each job, in `units`. */
  readonly jobAllowance: number;
  /** Limit of all jobs together, in `units`. */
  readonly tenantAllowance: number;
  /** `observe` denies nothing and records what would have been denied. */
  readonly mode: LabMode;
}

export type LabNumber = Exclude<keyof LabInputs, "mode">;

export interface LabRange {
  readonly label: string;
  readonly min: number;
  readonly max: number;
  /** The baseline experiment. */
  readonly default: number;
}

/** In the order in which they are shown. All are whole numbers; both ends are allowed. */
export const LAB_RANGES: Readonly<Record<LabNumber, LabRange>> = {
  jobs: { label: "incoming jobs", min: 1, max: 100, default: 6 },
  children: { label: "children per job", min: 1, max: 100, default: 3 },
  attempts: { label: "attempts per child", min: 1, max: 20, default: 2 },
  cost: { label: "cost per attempt", min: 1, max: 10_000, default: 20 },
  jobAllowance: { label: "job allowance", min: 0, max: 10_000_000, default: 150 },
  tenantAllowance: { label: "tenant allowance", min: 0, max: 10_000_000, default: 500 },
};

export const LAB_NUMBERS = Object.keys(LAB_RANGES) as readonly LabNumber[];

export const LAB_MODES: readonly LabMode[] = ["enforce", "observe"];

/** The baseline experiment: four of six jobs fit. */
export const LAB_DEFAULTS: LabInputs = {
  ...(Object.fromEntries(LAB_NUMBERS.map((name) => [name, LAB_RANGES[name].default])) as Record<LabNumber, number>),
  mode: "enforce",
};

export interface InputError {
  readonly field: string;
  /** Reads on after the field's name: "must be a whole number from 1 to 100". */
  readonly message: string;
}

export type InputResult =
  { readonly ok: true; readonly inputs: LabInputs } | { readonly ok: false; readonly errors: readonly InputError[] };

/** Checks a value of any origin, such as an imported file: every input present, nothing coerced, nothing unknown. */
export function validateInputs(value: unknown): InputResult {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { ok: false, errors: [{ field: "inputs", message: "must be an object" }] };
  }
  const given = value as Record<string, unknown>;
  const errors = [
    ...LAB_NUMBERS.filter((name) => !inRange(name, given[name])).map(rangeError),
    ...(isMode(given["mode"]) ? [] : [{ field: "mode", message: `must be ${LAB_MODES.join(" or ")}` }]),
    ...Object.keys(given)
      .filter((name) => !Object.hasOwn(LAB_DEFAULTS, name))
      .map((field) => ({ field, message: "is not an input of the lab" })),
  ];
  return errors.length > 0 ? { ok: false, errors } : { ok: true, inputs: pick(given as unknown as LabInputs) };
}

/** The same check for inputs typed as text; one that is not given has its default. */
export function readInputs(texts: Readonly<Partial<Record<keyof LabInputs, string>>>): InputResult {
  const given: Record<string, unknown> = { ...LAB_DEFAULTS, ...texts };
  for (const name of LAB_NUMBERS) {
    const text = texts[name];
    // What is no whole number stays text, which the check refuses with the range.
    if (text !== undefined) given[name] = parseWhole(text) ?? text;
  }
  return validateInputs(given);
}

/** A whole number in plain decimal digits; null for "", "1e3", "0x10", "1.5", "-1", "007" and anything inexact. */
export function parseWhole(text: string): number | null {
  if (!/^(?:0|[1-9][0-9]*)$/.test(text)) return null;
  const whole = Number(text);
  return Number.isSafeInteger(whole) ? whole : null;
}

function inRange(name: LabNumber, value: unknown): boolean {
  const { min, max } = LAB_RANGES[name];
  return typeof value === "number" && Number.isInteger(value) && value >= min && value <= max;
}

function isMode(value: unknown): value is LabMode {
  return LAB_MODES.some((mode) => mode === value);
}

function rangeError(field: LabNumber): InputError {
  const { min, max } = LAB_RANGES[field];
  return { field, message: `must be a whole number from ${min} to ${max}` };
}

/** A copy with the inputs in their order; `+ 0` makes a minus zero from a file a plain one. */
function pick(given: LabInputs): LabInputs {
  const numbers = Object.fromEntries(LAB_NUMBERS.map((name) => [name, given[name] + 0])) as Record<LabNumber, number>;
  return { ...numbers, mode: given.mode };
}
