export { meter, type Meter, type MeterOptions } from "./meter.js";
export { settle, settlementOf, type Amounts, type Costing, type Settlement } from "./settlement.js";
