import type { EntryView, Holdfast } from "#libs/client";
import type { Line, Use } from "./order.js";

/** What the service booked of one reservation. */
interface Booked {
  spent: number;
  ends: number;
}

/** Where what was booked is not what was used; empty where all is exact. */
export async function findingsOf(holdfast: Holdfast, lines: readonly Line[], spent: number): Promise<string[]> {
  const findings: string[] = [];
  const charges = new Charges(usesIn(lines, findings), findings);
  const booked = new Map<string, Booked>();
  let sum = 0;
  for await (const entry of holdfast.each((page) => holdfast.ledger({ ...page, limit: 500 }))) {
    sum += entry.spent;
    if (entry.reservationId === undefined) continue;
    const of = booked.get(entry.reservationId) ?? { spent: 0, ends: 0 };
    booked.set(entry.reservationId, of);
    of.spent += entry.spent;
    if (ENDS.includes(entry.type)) of.ends += 1;
    if (entry.type === "charge") charges.see(entry);
  }
  if (sum !== spent) findings.push(`the ledger adds up to ${sum}, and ${spent} are spent`);
  for (const [id, { ends }] of booked) if (ends > 1) findings.push(`${id} ended ${ends} times`);
  for (const line of lines) findings.push(...findingsAt(line, booked));
  return findings;
}

const ENDS = ["settle", "release", "expire"];

/** A process that ended by itself knows what it used; what it said must be booked, neither more nor less. */
function findingsAt(line: Line, booked: ReadonlyMap<string, Booked>): string[] {
  if (line.kind === "replayed" && line.refused > 0) return [`${line.refused} closings of a journal were refused`];
  if (line.kind !== "end" || line.reservationId === undefined) return [];
  const { spent = 0 } = booked.get(line.reservationId) ?? {};
  return [
    ...(line.left ? [`${line.reservationId} was neither told nor kept`] : []),
    ...(spent === line.tokens ? [] : [`${line.reservationId} used ${line.tokens} and was booked ${spent}`]),
  ];
}

/** Every charge is of an attempt that ran, of just what it used, and the only one of it. */
class Charges {
  private readonly seen = new Set<string>();

  constructor(
    private readonly uses: ReadonlyMap<string, number>,
    private readonly findings: string[],
  ) {}

  see({ reservationId = "", detail, spent }: EntryView): void {
    const key = keyOf({ reservationId, child: detail?.child ?? 0, attempt: detail?.attempt ?? 0 });
    if (this.seen.has(key)) this.findings.push(`${key} was charged twice`);
    this.seen.add(key);
    if (this.uses.get(key) !== spent) this.findings.push(`${key} used ${this.uses.get(key)} and was charged ${spent}`);
  }
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
