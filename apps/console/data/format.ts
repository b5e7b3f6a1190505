/** How figures and times are written, everywhere the same. */

export const amount = (value: number): string => value.toLocaleString("en");

/** With its sign, as what was added. */
export const signed = (value: number): string => (value > 0 ? `+${amount(value)}` : amount(value));

export const limitText = (limit: number | "unlimited"): string => (limit === "unlimited" ? limit : amount(limit));

/** "2026-01-31 09:30:00", in the time zone of whoever looks. */
export function moment(instant: string | undefined): string {
  if (instant === undefined) return "–";
  const at = new Date(instant);
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

/** "480 units, 3 calls" */
export function amounts(of: Readonly<Record<string, number>> | undefined): string {
  const parts = Object.entries(of ?? {}).map(([unit, value]) => `${amount(value)} ${unit}`);
  return parts.length === 0 ? "–" : parts.join(", ");
}

/** A whole number in plain digits, perhaps with a sign; null for everything else. */
export function parseWhole(text: string): number | null {
  const trimmed = text.trim();
  if (!/^-?[0-9]{1,16}$/.test(trimmed)) return null;
  const value = Number(trimmed);
  return Number.isSafeInteger(value) ? value : null;
}

/** A limit as it is typed; null where it is none. */
export function parseLimit(text: string): number | "unlimited" | null {
  if (text.trim() === "unlimited") return "unlimited";
  const value = parseWhole(text);
  return value === null || value < 0 ? null : value;
}
