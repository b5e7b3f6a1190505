export {
  type Amounts,
  type Available,
  type Plan,
  type PlannedAmounts,
  MAX_AMOUNT,
  maxAttempts,
  maxChildren,
  plannedAmounts,
} from "./plan.js";
export {
  type Denial,
  type DenialCode,
  type Figures,
  type ScopeKind,
  SCOPES_NARROWEST_FIRST,
  denialOf,
  figures,
} from "./decide.js";
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
  type Outcome,
  type Totals,
  runModel,
} from "./model.js";
