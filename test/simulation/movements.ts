import type { LedgerEntry, Reservation } from "#libs/ledger";

/**
 * What is wrong with what a commit booked of a reservation, by the reservation alone: `before` null for a new one. What was
 * reserved is taken once and given back once, in full; what is spent is what a settle says, and nothing else spends.
 */
export function wrongMovements(
  before: Reservation | null,
  after: Reservation,
  entries: readonly LedgerEntry[],
): string[] {
  const closes = before?.state === "open" && after.state !== "open";
  const settles = after.state === "settled" && before?.state !== "settled";
  const findings: string[] = [];
  for (const [unit, amount] of Object.entries(after.reserved)) {
    const here = entries.filter((entry) => entry.unit === unit);
    const moved = (of: "reserved" | "spent") => here.reduce((sum, entry) => sum + entry[of], 0);
    const reserved = before === null ? amount : closes ? -amount : 0;
    const spent = settles ? after.actual![unit]! : 0;
    if (moved("reserved") !== reserved)
      findings.push(`${after.id} moved ${moved("reserved")} ${unit} of reserved, not ${reserved}`);
    if (moved("spent") !== spent) findings.push(`${after.id} moved ${moved("spent")} ${unit} of spent, not ${spent}`);
  }
  return [...findings, ...wrongTimes(before, after)];
}

/** A deadline binds from its instant on. */
function wrongTimes(before: Reservation | null, { id, state, closedAt, expiresAt, late }: Reservation): string[] {
  const findings: string[] = [];
  const isOver = closedAt !== null && closedAt >= expiresAt;
  if (state === "released" && isOver) findings.push(`${id} was released after its deadline`);
  if (state === "expired" && !isOver) findings.push(`${id} expired before its deadline`);
  if (state === "settled" && late !== (isOver || before?.state === "expired"))
    findings.push(`${id} was settled ${late ? "late in time" : "in time, though late"}`);
  if (before && expiresAt < before.expiresAt) findings.push(`${id}: its deadline moved back`);
  return findings;
}
