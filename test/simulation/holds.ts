import type { Attempt, Job, LedgerEntry, Reservation } from "#libs/ledger";
import { accountKey, type Account } from "./accounts.js";
import type { Ledgered } from "./auditor.js";

/** A reservation in the auditor's own words. */
export interface Held {
  readonly accounts: readonly { readonly unit: string; readonly account: Account }[];
  /** The accounts' names. */
  readonly keys: ReadonlySet<string>;
  row: Reservation;
  /** What it must still hold, and what was spent of it, by unit. */
  readonly left: Record<string, number>;
  readonly spent: Record<string, number>;
  readonly attempts: Attempt[];
  /** Virtual time at which it was closed. */
  closed: number;
  /** Virtual time at which it last gave room back. */
  freed: number;
}

/** The jobs above one whose line below has ended: they hold and have spent what it does. */
function handedTo({ jobs }: Ledgered, { jobId, ancestors }: Reservation): string[] {
  const firstOpen = [jobId, ...ancestors].findIndex((id) => jobs.get(id)?.state === "open");
  return firstOpen < 0 ? [...ancestors] : ancestors.slice(0, firstOpen);
}

function touches(known: Ledgered, held: Held, key: string, unit: string): boolean {
  return held.keys.has(key) || handedTo(known, held.row).some((id) => key === accountKey("job", id, unit, "none"));
}

/** What must be held under this name: by open reservations, and by the grants of open children. */
export function heldAt(known: Ledgered, key: string, unit: string): number {
  let sum = 0;
  for (const held of known.open) if (touches(known, held, key, unit)) sum += held.left[unit] ?? 0;
  if (!key.startsWith("job:")) return sum;
  for (const { state, ancestors, allowance } of known.jobs.values()) {
    const isHeld = state === "open" && ancestors.length > 0 && key === accountKey("job", ancestors[0]!, unit, "none");
    if (isHeld) sum += allowance[unit] ?? 0;
  }
  return sum;
}

/** What must be spent of a job: by its own work, and by that of the jobs that handed theirs to it. */
export function spentAt(known: Ledgered, jobId: string, unit: string): number {
  const key = accountKey("job", jobId, unit, "none");
  const all = [...known.reservations.values()].filter((held) => touches(known, held, key, unit));
  return all.reduce((sum, { spent }) => sum + (spent[unit] ?? 0), 0);
}

/** What an entry must have moved of what its reservation held; null: it is of no attempt that was charged. */
export function dueOf(held: Held, { type, unit, detail }: LedgerEntry): number | null {
  const left = held.left[unit] ?? 0;
  if (type === "reserve") return held.row.reserved[unit] ?? 0;
  if (type !== "charge") return -left;
  const { child, attempt } = detail as { child: number; attempt: number };
  const of = held.attempts.filter((one) => one.child === child);
  const at = of.findIndex((one) => one.attempt === attempt);
  if (at < 0) return null;
  const { plan } = held.row;
  const needless = of[at]!.outcome === "succeeded" ? (plan?.attempts ?? 0) - at : 1;
  return -Math.min(left, plan ? needless * plan.attemptCost[unit]! : of[at]!.actual[unit]!);
}

/** What is wrong with an attempt that is charged to this reservation. */
export function wrongIn({ row, attempts }: Held, { child, attempt }: Attempt): string | undefined {
  if (row.state === "settled" || row.state === "released") return `was charged though it was ${row.state}`;
  const of = attempts.filter((one) => one.child === child);
  if (of.some((one) => one.attempt === attempt)) return `was charged twice for attempt ${attempt} of child ${child}`;
  if (!row.plan) return undefined;
  if (child > row.plan.admittedChildren || attempt > row.plan.attempts) return "was charged beyond its plan";
  return of.some(({ outcome }) => outcome === "succeeded") ? "was charged after a success" : undefined;
}

/** What is wrong with a job that was made below others. */
export function wrongBelow({ jobs }: Ledgered, { id, user, ancestors }: Job): string | undefined {
  if (ancestors.length === 0) return undefined;
  const parent = jobs.get(ancestors[0]!);
  if (parent?.state !== "open") return `${id} was made below a job that is ${parent?.state ?? "not there"}`;
  if (parent.user !== user) return `${id} is of another user than its parent`;
  return ancestors.join() === [parent.id, ...parent.ancestors].join() ? undefined : `${id} stands in another line`;
}
