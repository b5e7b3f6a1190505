/** The state machines alone, without a store or a driver: what also decides in the client and in the browser. */
export * from "./adaptive.js";
export * from "./attempts.js";
export * from "./breaker.js";
export * from "./gate.js";
export * from "./leases.js";
export * from "./outcome.js";
export * from "./permit.js";
export * from "./queue.js";
export * from "./retry-budget.js";
export * from "./token-bucket.js";
export * from "./turn.js";
