import type { Band } from "../data/series.js";
import type { Standing } from "./standing.js";

const TONES: Readonly<Record<string, Band["tone"]>> = { open: "bad", half_open: "warned" };

/** The times in which the breaker was not closed, as far as somebody looked. */
export function bandsOf(rows: readonly Standing[]): Band[] {
  const bands: Band[] = [];
  rows.forEach(({ at, breaker }, index) => {
    const tone = TONES[breaker ?? ""];
    if (tone === undefined) return;
    // It held until the next look, and of the last one no more is known.
    const to = rows[index + 1]?.at ?? at;
    const before = bands.at(-1);
    if (before?.to === at && before.tone === tone) bands[bands.length - 1] = { ...before, to };
    else bands.push({ from: at, to, tone });
  });
  return bands;
}

const clock = (at: number): string => new Date(at).toLocaleTimeString("en-GB");

/** The same in words, for whoever does not see the colours. */
export function wordsOf(bands: readonly Band[]): string {
  if (bands.length === 0) return "The breaker was closed whenever somebody looked.";
  const words = bands.map(
    ({ from, to, tone }) => `${tone === "bad" ? "open" : "half open"} ${clock(from)} to ${clock(to)}`,
  );
  return `The breaker was ${words.join(", ")}.`;
}
