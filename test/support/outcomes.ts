import type { Outcome, Refusal } from "#libs/ledger";

/** The answer of a command that must be done. */
export function answerOf(outcome: Outcome): Record<string, unknown> {
  if (outcome.type !== "done") throw new Error(`refused: ${outcome.refusal.code}: ${outcome.refusal.detail}`);
  return outcome.answer as Record<string, unknown>;
}

/** The refusal of a command that must be refused. */
export function refusalOf(outcome: Outcome): Refusal {
  if (outcome.type !== "refused") throw new Error(`not refused: ${JSON.stringify(outcome.answer)}`);
  return outcome.refusal;
}

/** `done`, `replayed` or the code of the refusal. */
export function wordOf(outcome: Outcome): string {
  if (outcome.type === "refused") return outcome.refusal.code;
  return outcome.replayed ? "replayed" : "done";
}

/** How often each word came: `{ done: 1000, allowance_exhausted: 1 }`. */
export function tally(outcomes: readonly Outcome[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) counts[wordOf(outcome)] = (counts[wordOf(outcome)] ?? 0) + 1;
  return counts;
}

/** Without instants, and without whether a denial rests on the record or on its copies: the same decision in any process. */
export function withoutTimes(value: unknown): unknown {
  const differs = /At$|^(at|ageMs|source)$/;
  return JSON.parse(JSON.stringify(value, (name, part: unknown) => (differs.test(name) ? undefined : part)));
}
