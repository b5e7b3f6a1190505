import { denialOf, lookUp, MAX_AMOUNT, passesIntegers, type Amounts, type Bound } from "#libs/plan";
import type { Balance } from "../balance.js";
import { balancesAt, figuresAt, jobPlace } from "../binding.js";
import type { TenantBook } from "../book.js";
import { refused, type CreateJob, type Outcome, type Parentage } from "../commands.js";
import type { EntryType, Instant, Job } from "../entities.js";
import type { Grounds } from "../grounds.js";
import { depthOf } from "../views.js";
import { groundsOf, refuse } from "./reserve.js";

/** Where a child stands, or why it cannot stand there. */
export function placeOfChild(
  { user }: CreateJob,
  { mostDepth }: Parentage,
  parent: Job,
): Pick<Job, "user" | "ancestors"> | Outcome {
  if (user !== null && user !== parent.user) {
    const errors = [{ pointer: "/user", message: "must be the user of the parent, or be left out" }];
    return refused("validation_failed", "A child job is of its parent's user.", { errors });
  }
  if (depthOf(parent) >= mostDepth) {
    return refused("conflict", `The parent stands at depth ${depthOf(parent)}, and ${mostDepth} is the deepest.`);
  }
  return { user: parent.user, ancestors: [parent.id, ...parent.ancestors] };
}

interface Grant {
  readonly job: Job;
  readonly childJobId: string;
  readonly grant: Amounts;
  readonly now: Instant;
}

interface Carved extends Pick<Job, "wouldDeny"> {
  readonly grounds: Grounds | null;
}

/**
 * Holds a grant at the job that gives it, and there alone: user and tenant are charged by the work of the child, once.
 * Refuses what does not fit; under `observe` that is only recorded.
 */
export function carve(book: TenantBook, { job, childJobId, grant, now }: Grant): Carved | Outcome {
  const units = Object.keys(grant);
  const balances = balancesAt(
    book,
    units.map((unit) => jobPlace(job, unit)),
  );
  const bounds = balances.map((figures): Bound => ({ scope: figures.scope, unit: figures.unit, figures }));
  const ask = { children: 1, perChild: grant, total: grant, isPlan: false };
  const enforced = book.tenant!.enforcement === "enforce";
  const denial = denialOf(ask, 1, bounds);
  const requested = (unit: string) => grant[unit]!;
  const grounds = denial && groundsOf(denial, [{ book, balances }], { user: job.user, requested, now });
  if (grounds && enforced) return refuse(grounds);
  if (!enforced && passesIntegers(ask, bounds)) {
    const errors = [{ pointer: "/grant", message: "would take a balance beyond 9007199254740991" }];
    return refused("validation_failed", "A balance would pass 2^53 − 1.", { errors });
  }
  for (const balance of balances) {
    const moved = { reserved: grant[balance.unit]!, spent: 0 };
    book.move(balance, { ...moved, bound: enforced });
    bookGrant(book, { type: "grant", parent: job, childJobId, balance, now, ...moved });
  }
  return { wouldDeny: denial, grounds };
}

/**
 * What jobs that end hand to their parents, those below first: the grant is not held any more, what was spent is spent
 * there, and what open reservations hold is held there. Refuses where a figure would pass 2^53 − 1.
 */
export function handOver(book: TenantBook, ending: readonly Job[], now: Instant): Outcome | null {
  const children = ending.filter(({ ancestors }) => ancestors.length > 0);
  if (children.length === 0) return null;
  const units = Object.keys(book.settings.allowances);
  const parents = parentsOf(book, children);
  const rows = rowsOf(book, [...new Set([...children, ...parents])], units);
  // Figures as they will be: nothing is changed before all is known to fit.
  const ahead = new Map<Balance, { reserved: number; spent: number }>();
  const moves: Return[] = [];
  for (const [i, child] of children.entries()) {
    const parent = parents[i]!;
    for (const [u, unit] of units.entries()) {
      const row = rows.get(child)![u]!;
      const from = ahead.get(row) ?? row;
      const reserved = from.reserved - (lookUp(child.allowance, unit) ?? 0);
      const { spent } = from;
      if (reserved === 0 && spent === 0) continue;
      const balance = rows.get(parent)![u]!;
      const before = ahead.get(balance) ?? balance;
      const after = { reserved: before.reserved + reserved, spent: before.spent + spent };
      if (after.reserved > MAX_AMOUNT || after.spent > MAX_AMOUNT) {
        return refused("conflict", `What job ${child.id} hands to its parent would take a balance beyond 2^53 − 1.`);
      }
      ahead.set(balance, after);
      moves.push({ parent, childJobId: child.id, balance, reserved, spent });
    }
  }
  for (const move of moves) {
    book.move(move.balance, { ...move, bound: false });
    bookGrant(book, { type: "return", now, ...move });
  }
  return null;
}

/** The balances of each job, in the order of the units. */
function rowsOf(book: TenantBook, jobs: readonly Job[], units: readonly string[]): Map<Job, Balance[]> {
  const places = jobs.flatMap((job) => units.map((unit) => jobPlace(job, unit)));
  const rows = figuresAt(book, places);
  return new Map(jobs.map((job, i) => [job, rows.slice(i * units.length, (i + 1) * units.length)]));
}

interface Return {
  readonly parent: Job;
  readonly childJobId: string;
  readonly balance: Balance;
  readonly reserved: number;
  readonly spent: number;
}

function bookGrant(
  book: TenantBook,
  { type, parent, childJobId, balance, reserved, spent, now }: Return & { type: EntryType; now: Instant },
): void {
  if (reserved === 0 && spent === 0) return;
  book.addEntry({
    type,
    at: now,
    unit: balance.unit,
    reserved,
    spent,
    keys: [balance.key],
    reservationId: null,
    jobId: parent.id,
    user: parent.user,
    detail: { childJobId },
  });
}

/** The balances that a job, which is a child, was carved out of. */
export function parentBalances(book: TenantBook, job: Job): Balance[] {
  if (job.ancestors.length === 0) return [];
  const [parent] = parentsOf(book, [job]);
  const units = Object.keys(book.settings.allowances);
  return balancesAt(
    book,
    units.map((unit) => jobPlace(parent!, unit)),
  );
}

function parentsOf(book: TenantBook, children: readonly Job[]): Job[] {
  return book.jobs.findAll(children.map(({ ancestors }) => ancestors[0]!)).map((job) => job!);
}
