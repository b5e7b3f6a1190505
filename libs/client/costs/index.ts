export { PriceTable, UnknownModel, type Price } from "./prices.js";
export { readUsage, StreamUsage } from "./read.js";
export { totalTokens, UNKNOWN, type Unknown, type Usage } from "./usage.js";
