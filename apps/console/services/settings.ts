import { pointerPart, type FieldErrors } from "../api/field-errors.js";
import { parseLimit, parseWhole } from "../data/format.js";

export interface SettingField {
  /** Where it stands in the request, as a JSON pointer. */
  readonly pointer: string;
  readonly label: string;
  /** `decimal` takes a point and three digits behind it. */
  readonly kind: "whole" | "decimal";
}

/** What bounds calls at a service, or of a tenant at it: a field that is left empty does not bind. */
export const GROUPS: readonly { readonly title: string; readonly fields: readonly SettingField[] }[] = [
  {
    title: "Rate",
    fields: [
      { pointer: "/ratePerSecond", label: "Calls or tokens a second", kind: "decimal" },
      { pointer: "/burst", label: "Burst", kind: "whole" },
    ],
  },
  { title: "Places", fields: [{ pointer: "/concurrency", label: "Attempts in flight", kind: "whole" }] },
  {
    title: "Queue",
    fields: [
      { pointer: "/queue/max", label: "Callers that wait", kind: "whole" },
      { pointer: "/queue/maxWaitMs", label: "Longest wait, ms", kind: "whole" },
    ],
  },
  {
    title: "Breaker",
    fields: [
      { pointer: "/breaker/failures", label: "Failures that open it", kind: "whole" },
      { pointer: "/breaker/windowMs", label: "within, ms", kind: "whole" },
      { pointer: "/breaker/resetMs", label: "Stays open, ms", kind: "whole" },
      { pointer: "/breaker/probes", label: "Trial calls", kind: "whole" },
    ],
  },
  {
    title: "Adaptive limit",
    fields: [
      { pointer: "/adaptive/min", label: "At least", kind: "whole" },
      { pointer: "/adaptive/max", label: "At most", kind: "whole" },
    ],
  },
];
const FIELDS = GROUPS.flatMap(({ fields }) => fields);

/** By pointer, as typed. */
export type SettingTexts = Readonly<Record<string, string>>;

/** An allowance as typed; `id` stays while its unit is typed. */
export interface AllowanceTexts {
  readonly id: number;
  readonly unit: string;
  readonly limit: string;
  readonly period: string;
  readonly timeZone: string;
}

interface AllowanceSetting {
  readonly limit: number | "unlimited";
  readonly period: string;
  readonly timeZone: string;
}

export function textsOf(settings: object): SettingTexts {
  return Object.fromEntries(FIELDS.map(({ pointer }) => [pointer, textAt(settings, pointer)]));
}

export function allowanceTextsOf(allowances: Readonly<Record<string, AllowanceSetting>> = {}): AllowanceTexts[] {
  return Object.entries(allowances).map(([unit, { limit, period, timeZone }], id) => ({
    ...{ id, unit, limit: String(limit), period, timeZone },
  }));
}

/** What cannot be sent as it is, by pointer; whether it is in its range is for the API to say. */
export function wrongIn(texts: SettingTexts, allowances: readonly AllowanceTexts[]): FieldErrors {
  const wrong: Record<string, string> = {};
  for (const { pointer, kind } of FIELDS) {
    const text = texts[pointer]?.trim() ?? "";
    if (text === "" || numberOf(text, kind) !== null) continue;
    wrong[pointer] = kind === "whole" ? "Must be a whole number" : "Must be a number";
  }
  for (const [i, { id, unit, limit }] of allowances.entries()) {
    if (!/^[a-z][a-z0-9_]{0,31}$/.test(unit)) {
      wrong[`unit ${id}`] = "Small letters, digits and _, beginning with a letter";
    } else if (allowances.findIndex((one) => one.unit === unit) < i) wrong[`unit ${id}`] = "Stands above already";
    if (parseLimit(limit) === null) wrong[`limit ${id}`] = "Must be a whole number or unlimited";
  }
  return wrong;
}

/** The settings as the API takes them. `wrongIn` found nothing. */
export function settingsOf(texts: SettingTexts, allowances: readonly AllowanceTexts[]): Record<string, unknown> {
  const settings: Record<string, Record<string, unknown> | number> = {};
  for (const { pointer, kind } of FIELDS) {
    const value = numberOf(texts[pointer]?.trim() ?? "", kind);
    if (value === null) continue;
    const [name = "", part] = pointer.slice(1).split("/");
    if (part === undefined) settings[name] = value;
    else settings[name] = { ...(settings[name] as object | undefined), [part]: value };
  }
  if (allowances.length === 0) return settings;
  const set = allowances.map(({ unit, limit, period, timeZone }) => [
    unit,
    { limit: parseLimit(limit), period, ...(period !== "none" && { timeZone }) },
  ]);
  return { ...settings, allowances: Object.fromEntries(set) as object };
}

export function allowancePointer(unit: string, field = ""): string {
  return `/allowances/${pointerPart(unit)}${field && `/${field}`}`;
}

function textAt(settings: object, pointer: string): string {
  let value: unknown = settings;
  for (const name of pointer.slice(1).split("/")) value = (value as Record<string, unknown> | undefined)?.[name];
  return typeof value === "number" ? String(value) : "";
}

function numberOf(text: string, kind: SettingField["kind"]): number | null {
  if (kind === "whole") return parseWhole(text);
  return /^\d{1,9}(\.\d{1,3})?$/.test(text) ? Number(text) : null;
}
