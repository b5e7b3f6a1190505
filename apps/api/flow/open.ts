import type { RunSettings } from "#libs/config";
import { Flow, type FlowMeter } from "#libs/flow";
import { openRedis, parseRedisUrl } from "#libs/redis";

/** Flow control of this process: with the others by way of Redis, or alone where there is none. */
export function openFlow(
  { redisUrl, permitLeaseMs: leaseMs }: Pick<RunSettings, "redisUrl" | "permitLeaseMs">,
  meter: FlowMeter,
): Flow {
  if (redisUrl === undefined) return new Flow({ leaseMs, meter });
  const address = parseRedisUrl(redisUrl);
  return new Flow({ connect: () => openRedis(address, {}), leaseMs, meter });
}
