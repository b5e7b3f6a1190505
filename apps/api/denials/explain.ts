import {
  available,
  fits,
  limitView,
  maxAttempts,
  maxChildren,
  overage,
  parseBalanceKey,
  sizeOf,
  type Bound,
  type BoundFigures,
} from "#libs/ledger";
import { entryView } from "../ledger/list.js";
import { notFound } from "../problems/problem.js";
import type { PrismaClient } from "../record/client.js";
import { denialRowView, isPlan } from "./denial.view.js";
import type { KeptDenial } from "./kept.js";
import { movementsBefore } from "./movements.js";
import { nameOf } from "./tallied.js";

/**
 * A denial with every scope that bound it, their figures and their last movements. `seenBy`: the tenant that asks; null:
 * the operator. Throws Problem where there is no such denial.
 */
export async function explainDenial(
  record: PrismaClient,
  tenantId: string,
  id: string,
  seenBy: string | null,
): Promise<object> {
  const row = await record.denial.findUnique({ where: { tenantId_id: { tenantId, id } } });
  if (!row) throw notFound("denial");
  const { denial, asked, figures } = row.last as unknown as KeptDenial;
  const before = { ledgerSeq: row.ledgerSeq, at: row.lastAt };
  const movements = await movementsBefore(record, figures, before, seenBy);
  const scopes = figures.map((bound, i) => {
    const { scope, unit, ...shown } = boundView(bound);
    const decided = unit === denial.unit && scope.kind === denial.scope.kind && nameOf(scope) === nameOf(denial.scope);
    return { scope, unit, ...shown, decided, movements: movements.of[i]!.map(entryView) };
  });
  return {
    ...denialRowView(row),
    scopes,
    wouldFit: wouldFit(asked, figures),
    ...(movements.since && { movementsSince: movements.since.toISOString() }),
  };
}

function boundView(bound: BoundFigures) {
  const { limit, spent, reserved, requested } = bound;
  return {
    ...parseBalanceKey(bound.bookId, bound.key),
    limit: limitView(limit),
    spent,
    reserved,
    available: available(bound),
    overage: overage(bound),
    requested,
    fits: fits(bound, requested),
    at: new Date(bound.at).toISOString(),
  };
}

/** Nothing, not even 0, fits where a scope is over its limit. */
function wouldFit(asked: KeptDenial["asked"], figures: readonly BoundFigures[]): object {
  const bounds = figures.map((bound): Bound => ({ ...parseBalanceKey(bound.bookId, bound.key), figures: bound }));
  if (isPlan(asked)) return { children: maxChildren(sizeOf(asked)!, bounds), attempts: maxAttempts(asked, bounds) };
  const amounts: Record<string, number> = {};
  for (const { unit, figures: each } of bounds) amounts[unit] = Math.min(amounts[unit] ?? Infinity, available(each));
  return { amounts };
}
