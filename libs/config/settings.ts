import { SettingProblem } from "./parsers.js";
import { settingsTable, type Entry, type Settings } from "./table.js";

/** A wrong or missing setting; the message is one line that names the variable. */
export class SettingsError extends Error {
  constructor(
    readonly variable: string,
    problem: string,
  ) {
    super(`${variable} ${problem}`.replace(/\s+/g, " "));
    this.name = "SettingsError";
  }
}

const entries = Object.entries(settingsTable) as [keyof Settings, Entry<unknown>][];

/** Reads every setting, strictly. Throws SettingsError for the first wrong one. */
export function loadSettings(env: Readonly<Record<string, string | undefined>> = process.env): Settings {
  refuseMisspelled(Object.keys(env));
  return Object.fromEntries(
    entries.map(([key, entry]) => [key, valueOf(entry, env[entry.env])]),
  ) as unknown as Settings;
}

/** The environment for another Holdfast that this process starts for itself: nothing that points to services of the caller. */
export function environmentWithoutSettings(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("HOLDFAST_")));
}

function valueOf(entry: Entry<unknown>, text: string | undefined): unknown {
  if (text === undefined) return entry.fallback;
  // A variable that is not ours alone means what it means to everybody: empty is unset.
  if (text === "" && !entry.env.startsWith("HOLDFAST_")) return entry.fallback;
  // An empty variable is mostly a secret that failed to arrive; falling back to an embedded database would hide that.
  if (text === "") throw new SettingsError(entry.env, "is empty: give it a value or unset it");
  try {
    return entry.parse(text);
  } catch (error) {
    if (error instanceof SettingProblem) throw new SettingsError(entry.env, error.message);
    throw error;
  }
}

/** A variable that is nearly the name of a setting is a slip; others with the prefix may belong to a client on the same machine. */
function refuseMisspelled(names: readonly string[]): void {
  const known = entries.map(([, entry]) => entry.env);
  for (const name of names) {
    if (!name.toUpperCase().startsWith("HOLDFAST_") || known.includes(name)) continue;
    const near = known.find((candidate) => editDistance(name.toUpperCase(), candidate) <= 2);
    if (near !== undefined) throw new SettingsError(name, `is not a setting: did you mean ${near}?`);
  }
}

/** Levenshtein distance: https://en.wikipedia.org/wiki/Levenshtein_distance */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
