import {
  denialOf,
  lookUp,
  maxChildren,
  passesIntegers,
  sizeOf,
  type Bound,
  type Denial,
  type SizedAsk,
} from "#libs/plan";
import type { Balance } from "../balance.js";
import { balancesAt, placesOf } from "../binding.js";
import type { TenantBook } from "../book.js";
import { done, refused, type Outcome, type Reserve } from "../commands.js";
import type { Instant, Job, Plan, Reservation } from "../entities.js";
import { denialView, reservationView } from "../views.js";
import { refuseNewWork } from "./guards.js";

export const OVERSIZED = [
  { pointer: "/plan", message: "children × attempts × attemptCost must be at most 9007199254740991" },
];

/** Takes the planned cost at every scope and in every unit, or nothing. */
export function reserve(book: TenantBook, command: Reserve, now: Instant): Outcome {
  const job = book.jobs.find(command.jobId);
  const refusal = refuseNewWork(book, job, "job");
  if (refusal) return refusal;
  const ask = sizeOf(command.ask);
  if (!ask) return refused("validation_failed", "The planned total is too large.", { errors: OVERSIZED });
  const units = Object.keys(ask.total);
  const unknown = units.find((unit) => !lookUp(book.settings.allowances, unit));
  if (unknown !== undefined) return unitUnknown(unknown);

  const balances = balancesBinding(book, job!, units, now);
  const bounds: Bound[] = balances.map((figures) => ({ scope: figures.scope, unit: figures.unit, figures }));
  if (book.tenant!.enforcement === "observe" && passesIntegers(ask, bounds)) return beyondIntegers(command);
  const { children, denial } = admit(book, command, ask, bounds);
  if (children === 0) return refuse(denial!);

  const reservation = reservationOf(command, ask, children, { job: job!, balances, denial, now });
  if (command.dryRun) return done(dryRunView(reservation));
  take(book, reservation, balances);
  return done(reservationView(reservation));
}

/** Also what only observes cannot count beyond integers. */
function beyondIntegers({ ask }: Reserve): Outcome {
  const pointer = "amounts" in ask ? "/amounts" : "/plan";
  const errors = [{ pointer, message: "would take a balance beyond 9007199254740991" }];
  return refused("validation_failed", "A balance would pass 2^53 − 1.", { errors });
}

function balancesBinding(book: TenantBook, job: Job, units: readonly string[], now: Instant): Balance[] {
  const own = job.user === null ? {} : (book.users.find(job.user) ?? {});
  const { tenantId, settings } = book;
  return balancesAt(book, placesOf({ tenantId, job, settings, own }, units, now));
}

/** How many children are admitted, and what denies the rest; under `observe` a denial is only recorded. */
function admit(
  book: TenantBook,
  command: Reserve,
  ask: SizedAsk,
  bounds: readonly Bound[],
): { children: number; denial: Denial | null } {
  const denial = denialOf(ask, ask.children, bounds);
  if (!denial) return { children: ask.children, denial };
  if (book.tenant!.enforcement === "observe") return { children: ask.children, denial };
  if (command.admit === "all") return { children: 0, denial };
  const children = maxChildren(ask, bounds);
  return children > 0 ? { children, denial: null } : { children, denial: denialOf(ask, 1, bounds) };
}

function reservationOf(
  command: Reserve,
  ask: SizedAsk,
  children: number,
  { job, balances, denial, now }: { job: Job; balances: readonly Balance[]; denial: Denial | null; now: Instant },
): Reservation {
  const reserved: Record<string, number> = {};
  const charged: Record<string, number> = {};
  for (const unit of Object.keys(ask.total)) {
    reserved[unit] = ask.perChild[unit]! * children;
    charged[unit] = 0;
  }
  const plan: Plan | null = "amounts" in command.ask ? null : { ...command.ask, admittedChildren: children };
  return {
    id: command.reservationId,
    jobId: job.id,
    user: job.user,
    state: "open",
    reserved,
    held: reserved,
    charged,
    plan,
    keys: balances.map(({ key }) => key),
    ancestors: job.ancestors,
    actual: null,
    late: false,
    wouldDeny: denial,
    createdAt: now,
    expiresAt: now + command.ttlMs,
    closedAt: null,
  };
}

function take(book: TenantBook, reservation: Reservation, balances: readonly Balance[]): void {
  const bound = book.tenant!.enforcement === "enforce";
  for (const balance of balances) {
    book.move(balance, { reserved: reservation.reserved[balance.unit]!, spent: 0, bound });
  }
  book.addReservation(reservation);
  for (const [unit, amount] of Object.entries(reservation.reserved)) {
    if (amount === 0) continue;
    book.addEntry({
      type: "reserve",
      at: reservation.createdAt,
      unit,
      reserved: amount,
      spent: 0,
      keys: balances.filter((balance) => balance.unit === unit).map(({ key }) => key),
      reservationId: reservation.id,
      jobId: reservation.jobId,
      user: reservation.user,
      detail: null,
    });
  }
}

function dryRunView({ jobId, reserved, plan, wouldDeny }: Reservation): object {
  return {
    dryRun: true,
    jobId,
    reserved,
    ...(plan && { plan }),
    ...(wouldDeny && { wouldDeny: denialView(wouldDeny) }),
  };
}

export function refuse(denial: Denial): Outcome {
  return refused(denial.code, denialSentence(denial), { denial });
}

export function denialSentence({ code, scope, unit, limit, requested, available }: Denial): string {
  const what = `${requested} ${unit}`;
  if (code === "exceeds_limit") return `${what} can never fit: the allowance of ${scope.kind} ${scope.id} is ${limit}.`;
  return `${what} do not fit now: the allowance of ${scope.kind} ${scope.id} has ${available} of ${limit ?? "unlimited"} left.`;
}

export function unitUnknown(unit: string): Outcome {
  return refused("unit_unknown", `The tenant has no allowance in the unit "${unit}".`);
}
