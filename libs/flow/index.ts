export { MemoryFlowStore, type MemoryFlowOptions } from "./memory/store.js";
export type { Limits } from "./machines/gate.js";
export { OUTCOMES, type Outcome } from "./machines/outcome.js";
export type { Grant, Refusal, RefusalReason } from "./machines/permit.js";
export { RETRY_DEFAULTS, type RetryLimits } from "./machines/retry-budget.js";
export type { Waiting } from "./machines/turn.js";
export { RedisFlowStore, type RedisFlowOptions } from "./redis/store.js";
export { FLOW_STATUSES } from "./redis/scripts.js";
export type { FlowStore, Permit, PermitRequest, ServiceLimits, ServiceView } from "./store.js";
