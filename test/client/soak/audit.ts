import type { Holdfast } from "#libs/client";
import type { Line, Use } from "./order.js";

/** What the service booked of one reservation. */
interface Booked {
  charged: number;
  settled: number;
  ends: number;
}

/** Where what was booked is not what was used; empty where all is exact. */
export async function findingsOf(holdfast: Holdfast, lines: readonly Line[], spent: number): Promise<string[]> {
  const findings: string[] = [];
  const uses = usesIn(lines, findings);
  const booked = new Map<string, Booked>();
  const seen = new Set<string>();
  let sum = 0;
  for await (const entry of holdfast.each((page) => holdfast.ledger({ ...page, limit: 500 }))) {
    const { type, reservationId = "", detail } = entry;
    const of = booked.get(reservationId) ?? { charged: 0, settled: 0, ends: 0 };
    booked.set(reservationId, of);
    sum += entry.spent;
    if (type === "charge") {
      const key = keyOf({ reservationId, child: detail?.child ?? 0, attempt: detail?.attempt ?? 0 });
      if (seen.has(key)) findings.push(`${key} was charged twice`);
      seen.add(key);
      if (uses.get(key) !== entry.spent) findings.push(`${key} used ${uses.get(key)} and was charged ${entry.spent}`);
      of.charged += entry.spent;
    }
    if (type === "settle" || type === "release" || type === "expire") of.ends += 1;
    if (type === "settle") of.settled += entry.spent;
  }
  if (sum !== spent) findings.push(`the ledger adds up to ${sum}, and ${spent} are spent`);
  for (const [id, { ends }] of booked) if (ends > 1) findings.push(`${id} ended ${ends} times`);
  for (const line of lines) {
    if (line.kind === "replayed" && line.refused > 0) findings.push(`${line.refused} of a journal were refused`);
    if (line.kind !== "end" || line.reservationId === undefined) continue;
    if (line.left) findings.push(`${line.reservationId} was neither told nor kept`);
    const { charged = 0, settled = 0 } = booked.get(line.reservationId) ?? {};
    if (charged + settled !== line.tokens)
      findings.push(`${line.reservationId} used ${line.tokens} and was booked ${charged} + ${settled}`);
  }
  return findings;
}

const keyOf = ({ reservationId, child, attempt }: Pick<Use, "reservationId" | "child" | "attempt">): string =>
  `${reservationId} child ${child} attempt ${attempt}`;

function usesIn(lines: readonly Line[], findings: string[]): Map<string, number> {
  const uses = new Map<string, number>();
  for (const line of lines) {
    if (line.kind !== "use") continue;
    const key = keyOf(line);
    if (uses.has(key)) findings.push(`${key} ran twice`);
    uses.set(key, line.tokens);
  }
  return uses;
}
