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
export function fitWords({ children = 0, attempts = 0, amounts: most }: WouldFit): string {
  if (most) return `At most ${amounts(most)} would have fitted.`;
  const fewer = children > 0 && `${counted(children, "child", "children")} with all attempts`;
  const less = attempts > 0 && `${counted(attempts, "attempt", "attempts")} a child with all children`;
  const some = [fewer, less].filter(Boolean).join(", or ");
  return some === "" ? "Not one child would have fitted." : `At most ${some} would have fitted.`;
}

const counted = (value: number, one: string, several: string): string =>
  `${amount(value)} ${value === 1 ? one : several}`;
