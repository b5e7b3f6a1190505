/** What the lab says of a decision, once for the table, the picture and the screen reader. */
import { type Bound, type Decision, type LabInputs, type LabScope, maxChildren, sizeOf } from "#libs/plan";

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
export function suggestionsOf(decision: Decision, inputs: LabInputs): Suggestion[] {
  const { advice } = decision;
  if (!advice) return [];
  const { children, attempts } = inputs;
  const fits: Suggestion[] = [];
  if (advice.maxChildren > 0) {
    const text = `${count(advice.maxChildren, "child", "children")} instead of ${shown(children)} would fit.`;
    fits.push({ text, change: { children: advice.maxChildren } });
  }
  if (advice.maxAttempts > 0) {
    const text = `${count(advice.maxAttempts, "attempt")} a child instead of ${shown(attempts)} would fit.`;
    fits.push({ text, change: { attempts: advice.maxAttempts } });
  }
  return fits.length > 0 ? fits : [withoutRetries(decision, inputs)];
}

/** Where neither figure alone can be lowered enough: the most children that would fit with one attempt each. */
function withoutRetries({ before }: Decision, { children, cost }: LabInputs): Suggestion {
  const ask = sizeOf({ children, attempts: 1, attemptCost: { units: cost } })!;
  const bounds = (["job", "tenant"] as const).map((kind): Bound => ({
    scope: { kind, id: kind },
    unit: "units",
    figures: before[kind],
  }));
  const most = maxChildren(ask, bounds);
  if (most === 0) return { text: "Nothing of it would fit, not even one attempt of one child.", change: null };
  const text = `Only ${count(most, "child", "children")} with one attempt each would fit.`;
  return { text, change: { children: most, attempts: 1 } };
}
