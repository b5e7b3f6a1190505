import type { ListedDenial } from "../api/types.js";
import { amount, amounts } from "../data/format.js";

/** "the job allowance of tokens" */
export function allowanceOf({ scope, unit }: Pick<ListedDenial, "scope" | "unit">): string {
  const several = scope.id === null ? ", several together" : "";
  return `${scope.kind} allowance of ${unit}${several}`;
}

/** What was asked, in words. */
export function askedWords({ plan, amounts: plain, grant }: ListedDenial["last"]["asked"]): string {
  if (plan) {
    const { children, attempts, attemptCost } = plan;
    return `${amount(children)} children × ${amount(attempts)} attempts × ${amounts(attemptCost)}`;
  }
  return grant ? `a grant of ${amounts(grant)}` : amounts(plain);
}

interface WouldFit {
  readonly children?: number;
  readonly attempts?: number;
  readonly amounts?: Readonly<Record<string, number>>;
}

/** What would have fitted then, in one sentence. */
export function fitWords({ children, attempts, amounts: most }: WouldFit): string {
  if (most) return `At most ${amounts(most)} would have fitted.`;
  const kept = attempts === undefined ? "" : `, or ${amount(attempts)} attempts a child with all children`;
  return `At most ${amount(children ?? 0)} children with all their attempts would have fitted${kept}.`;
}
