/** The command line of the lab, read strictly: what is not plainly right is refused with the option and its range. */
import { parseArgs } from "node:util";
import { LAB_DEFAULTS, LAB_MODES, LAB_NUMBERS, LAB_RANGES, type LabInputs, readInputs } from "#libs/plan";

export interface Target {
  /** Without a slash at the end. */
  readonly url: string;
  readonly adminKey: string;
}

export interface LabOptions {
  readonly inputs: LabInputs;
  readonly json: boolean;
  /** The Holdfast to run against; null starts one for the run. */
  readonly target: Target | null;
}

export type Parsed =
  | { readonly kind: "run"; readonly options: LabOptions }
  | { readonly kind: "help" }
  /** One line a mistake. */
  | { readonly kind: "refused"; readonly errors: readonly string[] };

const INPUT_NAMES = [...LAB_NUMBERS, "mode"] as const satisfies readonly (keyof LabInputs)[];
/** jobAllowance → job-allowance */
const optionOf = (input: string): string => input.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const INPUT_OPTIONS = new Map(INPUT_NAMES.map((name) => [optionOf(name), name]));
const TEXT_OPTIONS: readonly string[] = [...INPUT_OPTIONS.keys(), "url", "admin-key"];
const FLAGS: readonly string[] = ["json", "help"];

export function parseOptions(args: readonly string[]): Parsed {
  const { values, errors } = readTokens(args);
  if (values.has("help")) return { kind: "help" };

  const texts: Partial<Record<keyof LabInputs, string>> = {};
  for (const [option, name] of INPUT_OPTIONS) {
    const text = values.get(option);
    if (text !== undefined) texts[name] = text;
  }
  const read = readInputs(texts);
  if (!read.ok) {
    for (const { field, message } of read.errors) {
      const option = optionOf(field);
      errors.push(`--${option} ${message}, not ${shown(values.get(option) ?? "")}`);
    }
  }
  const target = targetOf(values.get("url"), values.get("admin-key"), errors);
  if (!read.ok || errors.length > 0) return { kind: "refused", errors };
  return { kind: "run", options: { inputs: read.inputs, json: values.has("json"), target } };
}

interface Tokens {
  readonly values: ReadonlyMap<string, string>;
  readonly errors: string[];
}

/**
 * `parseArgs` splits the arguments; what they mean is judged here, since its own strict mode throws at the first
 * mistake and calls `--jobs -1` ambiguous instead of naming the range.
 */
function readTokens(args: readonly string[]): Tokens {
  const options = {
    ...Object.fromEntries(TEXT_OPTIONS.map((name) => [name, { type: "string" as const }])),
    json: { type: "boolean" as const },
    help: { type: "boolean" as const, short: "h" },
  };
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
  const values = new Map<string, string>();
  const errors: string[] = [];
  for (const token of tokens) {
    if (token.kind === "option-terminator") continue;
    if (token.kind === "positional") {
      errors.push(`${shown(token.value)} is not an option`);
      continue;
    }
    const problem = problemOf(token);
    if (problem !== null) errors.push(`${token.rawName} ${problem}`);
    else if (values.has(token.name)) errors.push(`${token.rawName} is given twice`);
    else values.set(token.name, token.value ?? "");
  }
  return { values, errors };
}

function problemOf(token: {
  name: string;
  value?: string | undefined;
  inlineValue?: boolean | undefined;
}): string | null {
  if (FLAGS.includes(token.name)) return token.value === undefined ? null : "takes no value";
  if (!TEXT_OPTIONS.includes(token.name)) return "is not an option of the lab";
  if (token.value === undefined) return "needs a value";
  // "--url --json" is a forgotten value; for an input, the range says it better ("--jobs -1").
  const swallowed = token.inlineValue === false && token.value.startsWith("-") && !INPUT_OPTIONS.has(token.name);
  return swallowed ? `needs a value (one that begins with a dash is written --${token.name}=VALUE)` : null;
}

function targetOf(url: string | undefined, adminKey: string | undefined, errors: string[]): Target | null {
  if (url === undefined && adminKey === undefined) return null;
  if (url === undefined || adminKey === undefined) {
    errors.push(url === undefined ? "--admin-key needs --url" : "--url needs --admin-key");
    return null;
  }
  // The key goes into a header; its text is a secret and is not repeated.
  if (!/^[\x21-\x7e]+$/.test(adminKey)) errors.push("--admin-key must be visible ASCII characters without blanks");
  const parsed = URL.canParse(url) ? new URL(url) : null;
  const web = parsed !== null && ["http:", "https:"].includes(parsed.protocol);
  if (!web || parsed.username + parsed.password + parsed.search + parsed.hash !== "") {
    errors.push("--url must be an address such as http://127.0.0.1:8080");
    return null;
  }
  return { url: parsed.href.replace(/\/+$/, ""), adminKey };
}

/** A value as it was typed, in quotes, escaped and cut. */
function shown(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}

export function usage(): string {
  const numbers = LAB_NUMBERS.map((name) => {
    const { label, min, max, default: value } = LAB_RANGES[name];
    return [`--${optionOf(name)} N`, `${label}, ${min} to ${max} (${value})`];
  });
  const rows = [
    ...numbers,
    [`--mode ${LAB_MODES.join("|")}`, `deny, or only record what would have been denied (${LAB_DEFAULTS.mode})`],
    ["--url URL", "a running Holdfast; without it one is started for the run"],
    ["--admin-key KEY", "its operator's key"],
    ["--json", "one JSON document instead of tables"],
    ["--help", "this text"],
  ];
  const width = Math.max(...rows.map(([option = ""]) => option.length));
  return [
    "Runs jobs against a Holdfast in a throw-away tenant and compares each decision with the model.",
    "Exit: 0 they agree, 1 they differ or the run failed, 2 a wrong option.",
    "",
    ...rows.map(([option = "", meaning = ""]) => `  ${option.padEnd(width)}  ${meaning}`),
  ].join("\n");
}
