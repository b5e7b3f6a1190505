export { OUTCOMES, type Outcome } from "./machines/outcome.js";
