/** What is compared between a run and the model: the same flat facts from both. */
import { type Decision, type LabOutcome, type LabRun, type LabScope, type Totals } from "./model.js";

/** One decision. Figures are in `units`; what an answer does not carry is null on both sides. */
export interface Facts {
  readonly job: number;
  readonly outcome: LabOutcome;
  readonly requested: number;
  /** The scope that decided and its figures at that moment; null when the job fitted. */
  readonly scope: string | null;
  readonly code: string | null;
  readonly limit: number | null;
  readonly spent: number | null;
  readonly reserved: number | null;
  readonly available: number | null;
  /** Carried by a denial only. */
  readonly maxChildren: number | null;
  /** The tenant after the decision. */
  readonly tenantReserved: number;
  readonly tenantSpent: number;
  readonly tenantAvailable: number;
  readonly tenantOverage: number;
}

export interface Difference {
  /** `job 5`, `totals` or `after settlement`. */
  readonly where: string;
  readonly field: string;
  readonly measured: unknown;
  readonly model: unknown;
}

/** What a run against a Holdfast showed. */
export interface Measured {
  readonly decisions: readonly Facts[];
  readonly totals: Totals;
  /** The tenant's figures when all admitted jobs had settled. */
  readonly settled: LabScope;
}

export type TenantFacts = Pick<Facts, "tenantReserved" | "tenantSpent" | "tenantAvailable" | "tenantOverage">;

export function tenantFacts(tenant: LabScope): TenantFacts {
  return {
    tenantReserved: tenant.reserved,
    tenantSpent: tenant.spent,
    tenantAvailable: tenant.available,
    tenantOverage: tenant.overage,
  };
}

/** The facts that the model predicts for a decision. */
export function predicted({ job, outcome, planned, scope, code, before, after, advice }: Decision): Facts {
  // The model of the lab sets two allowances, so no other scope can decide.
  const deciding = scope === null ? null : scope === "job" ? before.job : before.tenant;
  return {
    job,
    outcome,
    requested: planned,
    scope,
    code,
    limit: deciding?.limit ?? null,
    spent: deciding?.spent ?? null,
    reserved: deciding?.reserved ?? null,
    available: deciding?.available ?? null,
    maxChildren: outcome === "denied" ? (advice?.maxChildren ?? null) : null,
    ...tenantFacts(after.tenant),
  };
}

/** Every fact, total and final figure that differs; empty when the run did what the model predicts. */
export function differencesBetween(measured: Measured, model: LabRun): Difference[] {
  const count = Math.max(measured.decisions.length, model.decisions.length);
  const decisions = Array.from({ length: count }, (_, index) => {
    const decision = model.decisions[index];
    return fieldsThatDiffer(`job ${index + 1}`, measured.decisions[index], decision && predicted(decision));
  });
  return [
    ...decisions.flat(),
    ...fieldsThatDiffer("totals", measured.totals, model.totals),
    ...fieldsThatDiffer("after settlement", measured.settled, model.settled),
  ];
}

function fieldsThatDiffer<T extends object>(
  where: string,
  measured: T | undefined,
  model: T | undefined,
): Difference[] {
  if (measured === undefined || model === undefined) {
    return [{ where, field: "decision", measured: measured ? "made" : "missing", model: model ? "made" : "missing" }];
  }
  return (Object.keys(model) as (keyof T & string)[])
    .filter((field) => measured[field] !== model[field])
    .map((field) => ({ where, field, measured: measured[field], model: model[field] }));
}
