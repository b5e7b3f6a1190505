/** The lab's state and its address: each is made from the other, so that a link carries what was on the screen. */
import { type InputError, type LabInputs, LAB_DEFAULTS, LAB_NUMBERS, readInputs } from "#libs/plan";

export type LabField = keyof LabInputs;

export interface LabState {
  /** As typed, also where it is no valid input: nothing that was typed gets lost. */
  readonly texts: Readonly<Record<LabField, string>>;
  /** How many decisions the trace shows; 0 before it was started. */
  readonly step: number;
}

export const LAB_FIELDS: readonly LabField[] = [...LAB_NUMBERS, "mode"];

export const BASELINE: LabState = stateOf(LAB_DEFAULTS);

export function stateOf(inputs: LabInputs): LabState {
  const texts = Object.fromEntries(LAB_FIELDS.map((field) => [field, String(inputs[field])]));
  return { texts: texts as Record<LabField, string>, step: 0 };
}

/** What is not in the address has its default; what is, stays as it stands there. */
export function readAddress(params: URLSearchParams): LabState {
  const texts = LAB_FIELDS.map((field) => [field, params.get(field) ?? BASELINE.texts[field]]);
  const step = params.get("step") ?? "";
  return {
    texts: Object.fromEntries(texts) as Record<LabField, string>,
    step: /^[0-9]{1,3}$/.test(step) ? Number(step) : 0,
  };
}

/** Empty for the baseline; else it names every input, so that a link means the same whatever the defaults become. */
export function writeAddress({ texts, step }: LabState): URLSearchParams {
  const isBaseline = step === 0 && LAB_FIELDS.every((field) => texts[field] === BASELINE.texts[field]);
  if (isBaseline) return new URLSearchParams();
  const params = new URLSearchParams(LAB_FIELDS.map((field) => [field, texts[field]]));
  if (step > 0) params.set("step", String(step));
  return params;
}

export interface Checked {
  /** null when an input is out of range. */
  readonly inputs: LabInputs | null;
  readonly errors: Readonly<Partial<Record<string, string>>>;
}

export function check({ texts }: Pick<LabState, "texts">): Checked {
  const trimmed = Object.fromEntries(LAB_FIELDS.map((field) => [field, texts[field].trim()]));
  const read = readInputs(trimmed);
  if (read.ok) return { inputs: read.inputs, errors: {} };
  return { inputs: null, errors: Object.fromEntries(read.errors.map(sentence)) };
}

function sentence({ field, message }: InputError): [string, string] {
  return [field, `${message.charAt(0).toUpperCase()}${message.slice(1)}`];
}
