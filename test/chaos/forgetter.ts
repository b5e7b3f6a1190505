import { setTimeout as sleep } from "node:timers/promises";
import type { Clients } from "./client.js";
import { acknowledged } from "./operation.js";
import type { Random } from "./random.js";
import { Requests } from "./requests.js";
import type { Tenant } from "./tenants.js";

const PAUSE_MS = 100;
const SHORTEST_TTL_MS = 1_000;

/** A client that closes nothing: each of its reservations is left to the sweep, one deadline soon after the other. */
export async function forget(clients: Clients, tenant: Tenant, random: Random, isOver: () => boolean): Promise<void> {
  const requests = new Requests(random, "forgetter");
  const amounts = Object.fromEntries(tenant.units.map((unit) => [unit, 1]));
  let jobId: string | undefined;
  while (!isOver()) {
    const request =
      jobId === undefined
        ? requests.createJob(tenant)
        : requests.reserveAt(tenant, jobId, { amounts, ttlMs: SHORTEST_TTL_MS });
    const [done] = await clients.perform([request], random);
    jobId ??= acknowledged(done!)[0]?.body.id;
    await sleep(PAUSE_MS);
  }
}
