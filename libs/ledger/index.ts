export * from "./domain/index.js";
export { newId } from "./ids.js";
export { Ledger, type LedgerOptions } from "./ledger.js";
export { LedgerUnavailable, ShuttingDown } from "./protocol/errors.js";
export type { LedgerMeter, Stage } from "./protocol/meter.js";
export type { ChildStanding, LedgerLog, TenantConfig } from "./protocol/ports.js";
