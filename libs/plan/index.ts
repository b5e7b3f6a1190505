export * from "./admission.js";
export * from "./amounts.js";
export {
  type Difference,
  type Facts,
  type Measured,
  type TenantFacts,
  differencesBetween,
  predicted,
  tenantFacts,
} from "./facts.js";
export * from "./figures.js";
export {
  type InputError,
  type InputResult,
  type LabInputs,
  type LabMode,
  type LabNumber,
  type LabRange,
  LAB_DEFAULTS,
  LAB_MODES,
  LAB_NUMBERS,
  LAB_RANGES,
  parseWhole,
  readInputs,
  validateInputs,
} from "./inputs.js";
export {
  type Advice,
  type Decision,
  type LabFigures,
  type LabRun,
  type LabOutcome,
  type LabScope,
  type Totals,
  runModel,
  totalsOf,
} from "./model.js";
