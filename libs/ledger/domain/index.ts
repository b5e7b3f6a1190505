export * from "./balance.js";
export * from "./binding.js";
export * from "./book.js";
export * from "./books.js";
export * from "./commands.js";
export * from "./decide.js";
export type { BoundFigures, Grounds } from "./grounds.js";
export type * from "./entities.js";
export * from "./service-book.js";
export * from "./views.js";
export * from "./window.js";
export { MAX_LIFE_MS } from "./rules/extend.js";
export { MOST_DESCENDANTS } from "./rules/jobs.js";
export { denialSentence } from "./rules/reserve.js";
// The admission rule and its words: theirs to whom the ledger is one thing.
export {
  available,
  denialOf,
  fits,
  lookUp,
  MAX_AMOUNT,
  maxAttempts,
  maxChildren,
  overage,
  passesIntegers,
  sizeOf,
  type Amounts,
  type Ask,
  type Bound,
  type Denial,
  type Figures,
  type Scope,
  type ScopeKind,
  type SizedAsk,
} from "#libs/plan";
