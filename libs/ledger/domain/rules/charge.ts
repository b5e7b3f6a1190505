import type { Amounts } from "#libs/plan";
import { attemptsId, type TenantBook } from "../book.js";
import { done, refused, type Charge, type Outcome } from "../commands.js";
import type { Attempt, Instant, Reservation } from "../entities.js";
import { attemptView } from "../views.js";
import { checkActual, findReservation, isOverdue, notFound, refuseBeyondIntegers, sameAmounts } from "./close.js";
import { holdersOf, moveHeld } from "./holders.js";

/**
 * Spends from a reservation what one attempt of one child really used. A fact: booked once, in full, also above what was
 * held and also after the deadline. What was held for the attempt is free again, and where it succeeded also what was held
 * for those that the child does not need any more.
 */
export function charge(book: TenantBook, command: Charge, now: Instant): Outcome {
  const reservation = findReservation(book, command.reservationId);
  if (!reservation) return notFound();
  const holders = holdersOf(book, reservation);
  const known = book.attempts.find(attemptsId(reservation.id, command.child)) ?? [];
  const refusal = checkActual(reservation, command.actual);
  if (refusal) return refusal;
  const same = known.find(({ attempt }) => attempt === command.attempt);
  if (same) return repeat(same, command);
  const refused = refuseCharge(reservation, known, command) ?? refuseBeyondIntegers(holders, command.actual);
  if (refused) return refused;

  const { child, attempt, outcome, actual, permit } = command;
  const late = reservation.state === "expired" || isOverdue(reservation, now);
  const freed = freedBy(reservation, known, command);
  const detail = { child, attempt, ...(late && { late }) };
  moveHeld(book, reservation, holders, { type: "charge", freed, spent: actual, detail, now });
  reservation.charged = byUnit(reservation, (unit) => reservation.charged[unit]! + actual[unit]!);
  const fact: Attempt = {
    reservationId: reservation.id,
    child,
    attempt,
    outcome,
    actual,
    freed,
    late,
    at: now,
    permit,
  };
  book.addAttempt(fact);
  return done(attemptView(fact));
}

function repeat(same: Attempt, { child, attempt, outcome, actual, permit }: Charge): Outcome {
  const { permit: ended } = same;
  const elsewise = permit && ended && (permit.id !== ended.id || permit.outcome !== ended.outcome);
  if (same.outcome === outcome && sameAmounts(same.actual, actual) && !elsewise) return done(attemptView(same));
  return refused("conflict", `Attempt ${attempt} of child ${child} was charged with other facts.`);
}

function refuseCharge(
  { state, plan }: Reservation,
  known: readonly Attempt[],
  { child, attempt, permit }: Charge,
): Outcome | null {
  if (state === "settled") return refused("already_settled", "The reservation was settled.");
  if (state === "released") return refused("already_released", "The reservation was released.");
  if (!plan) return null;
  const { admittedChildren, attempts } = plan;
  if (child > admittedChildren || attempt > attempts) {
    const admitted = `${admittedChildren} children with ${attempts} attempts each`;
    return refused("attempts_exhausted", `The plan was admitted for ${admitted}.`);
  }
  // What had started before its child succeeded is a fact: an earlier attempt, and one that a permit let start.
  const success = known.find((one) => one.outcome === "succeeded" && one.attempt < attempt);
  if (!success || permit) return null;
  return refused("attempts_exhausted", `Child ${child} has succeeded with attempt ${success.attempt}.`);
}

/**
 * A plan holds its cost for each attempt of a child until the child succeeds; plain amounts are one pool, which gives what
 * is used. Never more than is held.
 */
function freedBy(reservation: Reservation, known: readonly Attempt[], { outcome, actual }: Charge): Amounts {
  const { plan, held } = reservation;
  const isOver = known.some((one) => one.outcome === "succeeded");
  const attempts = isOver ? 0 : plan && outcome === "succeeded" ? plan.attempts - known.length : 1;
  return byUnit(reservation, (unit) =>
    Math.min(held[unit]!, plan ? attempts * plan.attemptCost[unit]! : actual[unit]!),
  );
}

function byUnit({ reserved }: Reservation, amountOf: (unit: string) => number): Amounts {
  const amounts: Record<string, number> = {};
  for (const unit of Object.keys(reserved)) amounts[unit] = amountOf(unit);
  return amounts;
}
