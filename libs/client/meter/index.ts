export type { CallBooking, JobScope, ModelCall, RunningScope } from "./call.js";
export { meter, type Meter, type MeterOptions } from "./meter.js";
export { settle, settlementOf, type Costing, type Settlement } from "./settlement.js";
