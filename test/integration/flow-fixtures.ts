import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { Flow, type Acquired, type FlowOptions, type Permit, type PermitRequest, type ServiceLimits } from "#libs/flow";
import { openRedis, parseRedisUrl } from "#libs/redis";
import { eventually } from "../support/record.js";

/** A client as the service makes its own. */
export function connectTo(url: string): () => Redis {
  return () => openRedis(parseRedisUrl(url), {}) as Redis;
}

/** Processes that share one Redis. */
export async function openFlows(
  url: string,
  count: number,
  options: Pick<FlowOptions, "leaseMs" | "meter"> = {},
): Promise<Flow[]> {
  const flows = Array.from(
    { length: count },
    () => new Flow({ connect: connectTo(url), timeoutMs: 1_000, ...options }),
  );
  await eventually(async () => flows.every((flow) => flow.isShared));
  return flows;
}

/** A service of its own for each test. */
export function newService(
  limits: ServiceLimits["limits"],
  tenantLimits?: NonNullable<ServiceLimits["tenantLimits"]>,
): ServiceLimits {
  return { name: `svc-${randomUUID()}`, limits, ...(tenantLimits && { tenantLimits }) };
}

export function requestFor(service: ServiceLimits | null, change: Partial<PermitRequest> = {}): PermitRequest {
  const id = randomUUID();
  return {
    id,
    tenantId: `ten-of-${service?.name ?? "nothing"}`,
    jobId: "job",
    reservationId: "rsv",
    child: id,
    attempts: 2,
    service,
    keepMs: 60_000,
    ...change,
  };
}

export function permitOf(acquired: Acquired): Permit {
  if (acquired.status !== "granted") throw new Error(`refused: ${acquired.reason}`);
  return acquired.permit;
}

/** A process whose connections can be cut for good. */
export function breakable(url: string): { flow: Flow; cutOff(): void } {
  const clients: Redis[] = [];
  const connect = (): Redis => {
    const client = connectTo(url)();
    clients.push(client);
    return client;
  };
  return {
    flow: new Flow({ connect, timeoutMs: 1_000 }),
    cutOff: () => clients.forEach((client) => client.disconnect()),
  };
}
