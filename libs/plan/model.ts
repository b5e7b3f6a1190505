/** The lab's model: what a run with these inputs must do, step by step. The same inputs always give the same run. */
import {
  denialOf,
  maxAttempts,
  maxChildren,
  sizeOf,
  type Bound,
  type Denial,
  type PlanAsk,
  type SizedAsk,
} from "./admission.js";
import { available, overage, type ScopeKind } from "./figures.js";
import { type LabInputs, validateInputs } from "./inputs.js";

/** `observed`: admitted although an allowance would have denied it (`observe` only). */
export type LabOutcome = "admitted" | "denied" | "observed";

/** What a scope has at one moment, in `units`; the lab knows no unlimited one. */
export interface LabScope {
  readonly limit: number;
  readonly reserved: number;
  readonly spent: number;
  readonly available: number;
  readonly overage: number;
}

/** The two allowances that the lab sets. */
export interface LabFigures {
  readonly job: LabScope;
  readonly tenant: LabScope;
}

/** How much of the plan would have fitted at that moment, each figure with the other one kept. 0 means nothing fits. */
export interface Advice {
  readonly maxChildren: number;
  readonly maxAttempts: number;
}

export interface Decision {
  /** From 1; one step a job, in the order of the jobs. */
  readonly step: number;
  readonly job: number;
  /** What the job asked for, in `units`. */
  readonly planned: number;
  readonly outcome: LabOutcome;
  /** Why it was, or in `observe` would have been, denied; null when it fitted. */
  readonly code: Denial["code"] | null;
  /** The scope that decided; null when it fitted. Its figures stand in `before`. */
  readonly scope: ScopeKind | null;
  readonly before: LabFigures;
  readonly after: LabFigures;
  readonly advice: Advice | null;
}

/** All amounts in `units`. */
export interface Totals {
  /** By all jobs, whatever was decided. */
  readonly planned: number;
  /** Jobs that ran, those in `observed` included. */
  readonly admitted: number;
  readonly denied: number;
  /** Jobs that ran although an allowance would have denied them. */
  readonly observed: number;
  /** Held by the tenant when all jobs were decided and none had settled. */
  readonly reserved: number;
  /** Spent by the tenant when all admitted jobs had settled exactly what they reserved. */
  readonly consumed: number;
  /** The tenant's overage at the end: consumed above its allowance. */
  readonly overAllowance: number;
}

export interface LabRun {
  readonly inputs: LabInputs;
  /** What each job plans: `children × attempts × cost`. */
  readonly perJobPlanned: number;
  readonly decisions: readonly Decision[];
  readonly totals: Totals;
  /** The tenant's figures when all admitted jobs had settled. */
  readonly settled: LabScope;
}

/**
 * Each job reserves its whole plan before it starts anything; when all are decided, the admitted ones settle exactly
 * what they reserved.
 * @throws RangeError when an input is out of range; callers validate first.
 */
export function runModel(inputs: LabInputs): LabRun {
  const checked = validateInputs(inputs);
  if (!checked.ok) {
    throw new RangeError(checked.errors.map(({ field, message }) => `${field} ${message}`).join("; "));
  }
  const { jobs, tenantAllowance } = checked.inputs;
  const plan = planOf(checked.inputs);
  const ask = sizedOf(plan);
  const planned = ask.total["units"]!;
  const decisions: Decision[] = [];
  let reserved = 0;
  for (let job = 1; job <= jobs; job += 1) {
    const decision = decide(checked.inputs, { plan, ask }, job, reserved);
    reserved = decision.after.tenant.reserved;
    decisions.push(decision);
  }
  const settled = scopeOf(tenantAllowance, 0, reserved);
  return {
    inputs: checked.inputs,
    perJobPlanned: planned,
    decisions,
    totals: totalsOf(
      decisions.map(({ outcome }) => ({ outcome, requested: planned })),
      reserved,
      settled,
    ),
    settled,
  };
}

interface Sized {
  readonly plan: PlanAsk;
  readonly ask: SizedAsk;
}

function decide(inputs: LabInputs, { plan, ask }: Sized, job: number, reserved: number): Decision {
  const before = { job: scopeOf(inputs.jobAllowance, 0, 0), tenant: scopeOf(inputs.tenantAllowance, reserved, 0) };
  const bounds = [boundOf("job", before.job), boundOf("tenant", before.tenant)];
  const denial = denialOf(ask, ask.children, bounds);
  const planned = ask.total["units"]!;
  const outcome = denial === null ? "admitted" : inputs.mode === "observe" ? "observed" : "denied";
  const held = outcome === "denied" ? 0 : planned;
  return {
    step: job,
    job,
    planned,
    outcome,
    code: denial?.code ?? null,
    scope: denial?.scope.kind ?? null,
    before,
    after: {
      job: scopeOf(inputs.jobAllowance, held, 0),
      tenant: scopeOf(inputs.tenantAllowance, reserved + held, 0),
    },
    advice: denial && { maxChildren: maxChildren(ask, bounds), maxAttempts: maxAttempts(plan, bounds)! },
  };
}

function boundOf(kind: ScopeKind, figures: LabScope): Bound {
  return { scope: { kind, id: kind }, unit: "units", figures };
}

function scopeOf(limit: number, reserved: number, spent: number): LabScope {
  const figures = { limit, reserved, spent };
  return { ...figures, available: available(figures), overage: overage(figures) };
}

/**
 * The sums of a run, of the model or of a service: `reserved` once all jobs were decided, `settled` when all that were admitted
 * had settled.
 */
export function totalsOf(
  decisions: readonly { readonly outcome: LabOutcome; readonly requested: number }[],
  reserved: number,
  settled: LabScope,
): Totals {
  const count = (outcome: LabOutcome) => decisions.filter((decision) => decision.outcome === outcome).length;
  return {
    planned: decisions.reduce((sum, { requested }) => sum + requested, 0),
    admitted: count("admitted") + count("observed"),
    denied: count("denied"),
    observed: count("observed"),
    reserved,
    consumed: settled.spent,
    overAllowance: settled.overage,
  };
}

function planOf({ children, attempts, cost }: LabInputs): PlanAsk {
  return { children, attempts, attemptCost: { units: cost } };
}

function sizedOf(plan: PlanAsk): SizedAsk {
  const ask = sizeOf(plan);
  // The ranges allow at most 100 × 20 × 10 000 a job and 100 jobs, so no sum here comes near the limit.
  if (!ask) throw new RangeError("the plan passes the largest amount");
  return ask;
}
