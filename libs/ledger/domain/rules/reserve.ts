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
import { balancesAt, placesOf, servicePlaces } from "../binding.js";
import type { TenantBook } from "../book.js";
import { done, refused, type Outcome, type Reserve } from "../commands.js";
import type { Instant, Job, Plan, Reservation } from "../entities.js";
import { figuresOf, type Grounds } from "../grounds.js";
import { denialView, reservationView } from "../views.js";
import { refuseNewWork } from "./guards.js";
import { bookMovement, type Part } from "./holders.js";

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
  if (command.service !== null && !book.service(command.service)) return serviceUnknown(command.service);

  const parts = partsBinding(book, command.service, job!, units, now);
  const bounds = parts.flatMap(({ balances }) => balances.map(boundOf));
  if (book.tenant!.enforcement === "observe" && passesIntegers(ask, bounds)) return beyondIntegers(command);
  const { children, denial, weighed } = admit(book, command, ask, bounds);
  const requested = (unit: string) => ask.perChild[unit]! * weighed;
  const grounds = denial && groundsOf(denial, parts, { user: job!.user, requested, now });
  if (children === 0) return refuse(grounds!);

  const reservation = reservationOf(command, ask, children, { job: job!, parts, denial, now });
  if (command.dryRun) return done(dryRunView(reservation), grounds);
  take(book, reservation, parts);
  return done(reservationView(reservation), grounds);
}

/** Taken before anything moves. */
export function groundsOf(
  denial: Denial,
  parts: readonly Part[],
  { user, requested, now }: { user: string | null; requested: (unit: string) => number; now: Instant },
): Grounds {
  const figures = parts.flatMap(({ book, balances }) => figuresOf(book.tenantId, balances, requested, now));
  return { denial, source: "record", at: now, user, figures };
}

/** Also what only observes cannot count beyond integers. */
function beyondIntegers({ ask }: Reserve): Outcome {
  const pointer = "amounts" in ask ? "/amounts" : "/plan";
  const errors = [{ pointer, message: "would take a balance beyond 9007199254740991" }];
  return refused("validation_failed", "A balance would pass 2^53 − 1.", { errors });
}

/** The balances that bind, narrowest scope first: job, user, the tenant's share of the service, tenant, and at last the service. */
function partsBinding(
  book: TenantBook,
  service: string | null,
  job: Job,
  units: readonly string[],
  now: Instant,
): Part[] {
  const own = job.user === null ? {} : (book.users.find(job.user) ?? {});
  const { tenantId, settings } = book;
  const places = placesOf({ tenantId, job, settings, own, service }, units, now);
  const tenants = { book, balances: balancesAt(book, places) };
  if (service === null) return [tenants];
  const at = book.service(service)!;
  const there = servicePlaces(at.tenantId, at.settings, units, now);
  return [tenants, { book: at, balances: balancesAt(at, there) }];
}

function boundOf(figures: Part["balances"][number]): Bound {
  return { scope: figures.scope, unit: figures.unit, figures };
}

/**
 * How many children are admitted, and what denies the rest; under `observe` a denial is only recorded. `weighed`: how
 * many children the denial is about.
 */
function admit(
  book: TenantBook,
  command: Reserve,
  ask: SizedAsk,
  bounds: readonly Bound[],
): { children: number; denial: Denial | null; weighed: number } {
  const denial = denialOf(ask, ask.children, bounds);
  const weighed = ask.children;
  if (!denial || book.tenant!.enforcement === "observe") return { children: ask.children, denial, weighed };
  if (command.admit === "all") return { children: 0, denial, weighed };
  const children = maxChildren(ask, bounds);
  return { children, denial: children > 0 ? null : denialOf(ask, 1, bounds), weighed: 1 };
}

function reservationOf(
  command: Reserve,
  ask: SizedAsk,
  children: number,
  { job, parts, denial, now }: { job: Job; parts: readonly Part[]; denial: Denial | null; now: Instant },
): Reservation {
  const reserved: Record<string, number> = {};
  const charged: Record<string, number> = {};
  for (const unit of Object.keys(ask.total)) {
    reserved[unit] = ask.perChild[unit]! * children;
    charged[unit] = 0;
  }
  const [keys, serviceKeys] = parts.map(({ balances }) => balances.map(({ key }) => key));
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
    keys: keys!,
    service: command.service,
    serviceKeys: serviceKeys ?? [],
    ancestors: job.ancestors,
    actual: null,
    late: false,
    wouldDeny: denial,
    createdAt: now,
    expiresAt: now + command.ttlMs,
    closedAt: null,
  };
}

function take(book: TenantBook, reservation: Reservation, parts: readonly Part[]): void {
  // What a tenant observes counts at the service too, and is not bound there either.
  const bound = book.tenant!.enforcement === "enforce";
  for (const part of parts) {
    for (const balance of part.balances) {
      part.book.move(balance, { reserved: reservation.reserved[balance.unit]!, spent: 0, bound });
    }
  }
  book.addReservation(reservation);
  for (const [unit, amount] of Object.entries(reservation.reserved)) {
    if (amount === 0) continue;
    const moved = { at: reservation.createdAt, unit, reserved: amount, spent: 0, detail: null };
    bookMovement(book, reservation, parts, { type: "reserve", ...moved });
  }
}

function dryRunView({ jobId, service, reserved, plan, wouldDeny }: Reservation): object {
  return {
    dryRun: true,
    jobId,
    ...(service !== null && { service }),
    reserved,
    ...(plan && { plan }),
    ...(wouldDeny && { wouldDeny: denialView(wouldDeny) }),
  };
}

export function refuse(grounds: Grounds): Outcome {
  const { denial } = grounds;
  return refused(denial.code, denialSentence(denial), { denial, grounds });
}

export function denialSentence({ code, scope, unit, limit, requested, available }: Denial): string {
  const what = `${requested} ${unit}`;
  const whose = `${scope.tenantId === undefined ? "" : `tenant ${scope.tenantId} at `}${scope.kind} ${scope.id}`;
  if (code === "exceeds_limit") return `${what} can never fit: the allowance of ${whose} is ${limit}.`;
  return `${what} do not fit now: the allowance of ${whose} has ${available} of ${limit ?? "unlimited"} left.`;
}

function serviceUnknown(service: string): Outcome {
  return refused("service_unknown", `There is no service "${service}".`);
}

export function unitUnknown(unit: string): Outcome {
  return refused("unit_unknown", `The tenant has no allowance in the unit "${unit}".`);
}
