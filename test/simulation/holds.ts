import type { Attempt, Job, LedgerEntry, Reservation, Tenant } from "#libs/ledger";
import { accountKey, type Account } from "./accounts.js";
import type { Ledgered } from "./auditor.js";

/** A reservation in the auditor's own words. */
export interface Held {
  readonly accounts: readonly { readonly unit: string; readonly account: Account }[];
  /** The accounts' names. */
  readonly keys: ReadonlySet<string>;
  /** Those at the service that it is for, by unit. */
  readonly service: ReadonlyMap<string, { readonly key: string; readonly account: Account }>;
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
function spentAt(known: Ledgered, jobId: string, unit: string): number {
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
  const isOver = of.slice(0, at).some(({ outcome }) => outcome === "succeeded");
  const needless = isOver ? 0 : of[at]!.outcome === "succeeded" ? (plan?.attempts ?? 0) - at : 1;
  return -Math.min(left, plan ? needless * plan.attemptCost[unit]! : of[at]!.actual[unit]!);
}

/** What is wrong with an attempt that is charged to this reservation. */
export function wrongIn({ row, attempts }: Held, { child, attempt }: Attempt): string | undefined {
  if (row.state === "settled" || row.state === "released") return `${row.id} was charged though it was ${row.state}`;
  const of = attempts.filter((one) => one.child === child);
  if (of.some((one) => one.attempt === attempt))
    return `${row.id} was charged twice for attempt ${attempt} of child ${child}`;
  if (!row.plan) return undefined;
  if (child > row.plan.admittedChildren || attempt > row.plan.attempts) return `${row.id} was charged beyond its plan`;
  const isNeedless = of.some((one) => one.outcome === "succeeded" && one.attempt < attempt);
  return isNeedless ? `${row.id} was charged for an attempt after a success` : undefined;
}

/** What is wrong with a job that was made below others. */
export function wrongBelow({ jobs }: Ledgered, { id, user, ancestors }: Job): string | undefined {
  if (ancestors.length === 0) return undefined;
  const parent = jobs.get(ancestors[0]!);
  if (parent?.state !== "open") return `${id} was made below a job that is ${parent?.state ?? "not there"}`;
  if (parent.user !== user) return `${id} is of another user than its parent`;
  return ancestors.join() === [parent.id, ...parent.ancestors].join() ? undefined : `${id} stands in another line`;
}

/** A deadline binds from its instant on. */
export function wrongTimes(before: Reservation, { id, state, closedAt, expiresAt, late }: Reservation): string[] {
  const findings: string[] = [];
  const isOver = closedAt !== null && closedAt >= expiresAt;
  if (state === "released" && isOver) findings.push(`${id} was released after its deadline`);
  if (state === "expired" && !isOver) findings.push(`${id} expired before its deadline`);
  if (state === "settled" && late !== (isOver || before.state === "expired"))
    findings.push(`${id} was settled ${late ? "late in time" : "in time, though late"}`);
  if (expiresAt < before.expiresAt) findings.push(`${id}: its deadline moved back`);
  return findings;
}

/** A child has its grant and nothing else. */
export function jobAccount({ accounts, jobs }: Ledgered, id: string, unit: string): Account {
  const job = jobs.get(id);
  const none = job && job.ancestors.length > 0 ? 0 : null;
  return accounts.open(accountKey("job", id, unit, "none"), job?.allowance[unit] ?? none);
}

/** Below a job that has ended nothing is open, and its parent has what it handed over. */
export function wrongEnd(known: Ledgered, { id, ancestors }: Job): string[] {
  const findings: string[] = [];
  const open = [...known.jobs.values()].find((job) => job.state === "open" && job.ancestors.includes(id));
  if (open) findings.push(`${open.id} is open below ${id}, which has ended`);
  const parent = ancestors[0];
  if (parent === undefined) return findings;
  for (const unit of Object.keys(known.settings.allowances)) {
    const { reserved, spent } = jobAccount(known, parent, unit);
    const due = [heldAt(known, accountKey("job", parent, unit, "none"), unit), spentAt(known, parent, unit)];
    if (reserved !== due[0] || spent !== due[1])
      findings.push(`${parent} has ${reserved} + ${spent} ${unit} after the end of ${id}, not ${due.join(" + ")}`);
  }
  return findings;
}

/** Its own, and those of the jobs above as far as the entry names them; the sums tell whether it should. */
export function accountsOf(known: Ledgered, held: Held, { unit, keys }: LedgerEntry): Account[] {
  const own = held.accounts.filter((one) => one.unit === unit).map(({ account }) => account);
  const above = held.row.ancestors.filter((id) => keys.includes(accountKey("job", id, unit, "none")));
  return [...own, ...above.map((id) => jobAccount(known, id, unit))];
}

/** A grant takes what was granted; its return gives that back for what the child holds and has spent. */
export function wrongGrant(known: Ledgered, entry: LedgerEntry, childId: string): string | undefined {
  const child = known.jobs.get(childId);
  if (child?.ancestors[0] !== entry.jobId) return `a ${entry.type} of ${childId} to ${entry.jobId}`;
  const grant = child.allowance[entry.unit] ?? 0;
  const own = jobAccount(known, childId, entry.unit);
  const due = entry.type === "grant" ? { reserved: grant, spent: 0 } : { ...own, reserved: own.reserved - grant };
  if (entry.reserved === due.reserved && entry.spent === due.spent) return undefined;
  return `${childId}: ${entry.type} moved ${entry.reserved} + ${entry.spent}, not ${due.reserved} + ${due.spent}`;
}

/** What is overdue cannot be revived, and for a job or a tenant that has ended nothing is held longer. */
export function wrongExtension(
  { id, expiresAt }: Reservation,
  job: Job | undefined,
  tenant: Tenant,
  now: number,
): string[] {
  const findings: string[] = [];
  if (expiresAt <= now) findings.push(`${id} was extended after its deadline`);
  if (job?.state !== "open") findings.push(`${id} was extended for a job that is ${job?.state}`);
  if (tenant.state !== "active") findings.push(`${id} was extended for a tenant that is ${tenant.state}`);
  return findings;
}

/** Limits bind an admission only where they did before and after its commit: observing may have begun or ended in it. */
export function isEnforced(after: Tenant, before: Tenant): boolean {
  return after.enforcement === "enforce" && before.enforcement === "enforce";
}
