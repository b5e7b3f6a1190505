/** What the lab says of a decision, once for the table, the picture and the screen reader. */
import { type Decision, type LabInputs, type LabScope } from "#libs/plan";

export const shown = (amount: number): string => amount.toLocaleString("en");

export const count = (amount: number, one: string, many = `${one}s`): string =>
  `${shown(amount)} ${amount === 1 ? one : many}`;

/** The figures of the scope that decided; null where the job fitted. */
export function decidingFigures({ scope, before }: Decision): LabScope | null {
  if (scope === null) return null;
  // The lab sets two allowances, so no other scope can decide.
  return scope === "job" ? before.job : before.tenant;
}

/** "the tenant allowance: 20 of 500 left, 120 asked" */
export function reasonOf(decision: Decision): string {
  const figures = decidingFigures(decision);
  if (!figures) return `fits both allowances`;
  const left = `${shown(figures.available)} of ${shown(figures.limit)} left, ${shown(decision.planned)} asked`;
  const never = decision.code === "exceeds_limit" ? "; it can never fit" : "";
  return `the ${decision.scope} allowance: ${left}${never}`;
}

export const OUTCOMES = { admitted: "admitted", denied: "denied", observed: "would be denied" } as const;

/** One sentence for a decision as it comes. */
export function sentenceOf(decision: Decision): string {
  const { job, outcome, after } = decision;
  const left = `The tenant has ${shown(after.tenant.available)} left${
    after.tenant.overage > 0 ? ` and is ${shown(after.tenant.overage)} over` : ""
  }.`;
  if (outcome === "admitted") return `Job ${job} is admitted: it ${reasonOf(decision)}. ${left}`;
  const verb = outcome === "denied" ? "is denied by" : "runs, but would be denied by";
  return `Job ${job} ${verb} ${reasonOf(decision)}. ${left}`;
}

export interface Suggestion {
  readonly text: string;
  /** What to set to try it; null where nothing would fit. */
  readonly change: Partial<Pick<LabInputs, "children" | "attempts">> | null;
}

/** What would have fitted at a step that was, or would have been, denied; empty where the job fitted. */
export function suggestionsOf({ advice }: Decision, { children, attempts }: LabInputs): Suggestion[] {
  if (!advice) return [];
  const { maxChildren, maxAttempts } = advice;
  const fits: Suggestion[] = [];
  if (maxChildren > 0) {
    const text = `${count(maxChildren, "child", "children")} instead of ${shown(children)} would fit.`;
    fits.push({ text, change: { children: maxChildren } });
  }
  if (maxAttempts > 0) {
    const text = `${count(maxAttempts, "attempt")} a child instead of ${shown(attempts)} would fit.`;
    fits.push({ text, change: { attempts: maxAttempts } });
  }
  return fits.length > 0
    ? fits
    : [
        {
          text: "Not even one child with all its attempts, or all children with one attempt, would fit.",
          change: null,
        },
      ];
}
