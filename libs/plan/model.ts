/** The lab's model: what a run with these inputs must do, step by step. The same inputs always give the same run. */
import { type DenialCode, type Figures, type ScopeKind, denialOf, figures } from "./decide.js";
import { type LabInputs, validateInputs } from "./inputs.js";
import { type Plan, maxAttempts, maxChildren, plannedAmounts } from "./plan.js";

/** `observed`: admitted although an allowance would have denied it (`observe` only). */
export type Outcome = "admitted" | "denied" | "observed";

/** The two allowances that the lab sets. */
export interface LabFigures {
  readonly job: Figures;
  readonly tenant: Figures;
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
  readonly outcome: Outcome;
  /** Why it was, or in `observe` would have been, denied; null when it fitted. */
  readonly code: DenialCode | null;
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
  readonly settled: Figures;
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
  const planned = plannedUnits(plan);
  const decisions: Decision[] = [];
  let reserved = 0;
  for (let job = 1; job <= jobs; job += 1) {
    const decision = decide(checked.inputs, plan, job, planned, reserved);
    reserved = decision.after.tenant.reserved;
    decisions.push(decision);
  }
  const settled = figures(tenantAllowance, 0, reserved);
  return {
    inputs: checked.inputs,
    perJobPlanned: planned,
    decisions,
    totals: totalsOf(decisions, reserved, settled),
    settled,
  };
}

function decide(inputs: LabInputs, plan: Plan, job: number, planned: number, reserved: number): Decision {
  const before = { job: figures(inputs.jobAllowance, 0, 0), tenant: figures(inputs.tenantAllowance, reserved, 0) };
  const denial = denialOf(before, planned);
  const outcome = denial === null ? "admitted" : inputs.mode === "observe" ? "observed" : "denied";
  const held = outcome === "denied" ? 0 : planned;
  return {
    step: job,
    job,
    planned,
    outcome,
    code: denial?.code ?? null,
    scope: denial?.scope ?? null,
    before,
    after: {
      job: figures(inputs.jobAllowance, held, 0),
      tenant: figures(inputs.tenantAllowance, reserved + held, 0),
    },
    advice: denial === null ? null : adviceFor(plan, before),
  };
}

function adviceFor(plan: Plan, before: LabFigures): Advice {
  const available = [{ units: before.job.available }, { units: before.tenant.available }];
  return { maxChildren: maxChildren(plan, available), maxAttempts: maxAttempts(plan, available) };
}

function totalsOf(decisions: readonly Decision[], reserved: number, settled: Figures): Totals {
  const count = (outcome: Outcome) => decisions.filter((decision) => decision.outcome === outcome).length;
  return {
    planned: decisions.reduce((sum, { planned }) => sum + planned, 0),
    admitted: count("admitted") + count("observed"),
    denied: count("denied"),
    observed: count("observed"),
    reserved,
    consumed: settled.spent,
    overAllowance: settled.overage,
  };
}

function planOf({ children, attempts, cost }: LabInputs): Plan {
  return { children, attempts, attemptCost: { units: cost } };
}

function plannedUnits(plan: Plan): number {
  const planned = plannedAmounts(plan);
  // The ranges allow at most 100 × 20 × 10 000 a job and 100 jobs, so no sum here comes near the limit.
  if (!planned.ok) throw new RangeError(`the plan passes the largest amount in ${planned.overflow}`);
  return planned.amounts["units"] ?? 0;
}
