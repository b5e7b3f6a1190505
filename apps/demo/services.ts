import type { Operator } from "./operator.js";

export const MODEL = "model-large";
export const SEARCH = "search";

const BREAKER = { failures: 5, windowMs: 10_000, resetMs: 3_600_000, probes: 1 };

/** Two services in good state, and one whose breaker is open for an hour. */
export async function makeServices(operator: Operator): Promise<void> {
  const services = {
    [MODEL]: {
      ratePerSecond: 50,
      concurrency: 8,
      queue: { max: 100, maxWaitMs: 5_000 },
      breaker: BREAKER,
      adaptive: { min: 2, max: 8 },
      allowances: { tokens: { limit: 1_000_000, period: "day" } },
    },
    [SEARCH]: { ratePerSecond: 5, burst: 5, breaker: BREAKER },
    mail: { ratePerSecond: 2 },
  };
  for (const [name, fields] of Object.entries(services)) await operator.call("PUT", `/services/${name}`, fields);
  await operator.call("POST", `/services/${SEARCH}/breaker`, { state: "open" });
}
