import type { ServiceLimits } from "#libs/flow";
import type { ServiceBody } from "./service.dto.js";

/** Settings as flow control takes them. */
export function limitsOf({ ratePerSecond, burst, ...others }: ServiceBody): ServiceLimits["limits"] {
  if (ratePerSecond === undefined) return others;
  return { ...others, rate: { ratePerSecond, burst: burst ?? Math.max(1, Math.ceil(ratePerSecond)) } };
}
