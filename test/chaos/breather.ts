import { setTimeout as sleep } from "node:timers/promises";
import type { Clients } from "./client.js";
import { acknowledged } from "./operation.js";
import type { Random } from "./random.js";
import { Requests } from "./requests.js";
import type { Tenant } from "./tenants.js";

const PAUSE_MS = [50, 800] as const;

/**
 * A client alone with its tenant that takes all there is, is refused at every replica, gives it back and rests. Nobody
 * else moves these balances, so that a copy which still shows them full is mended by nothing but its age.
 */
export async function breathe(clients: Clients, tenant: Tenant, random: Random, isOver: () => boolean): Promise<void> {
  const requests = new Requests(random, "breather");
  const [unit] = tenant.units as [string];
  const all = { amounts: { [unit]: tenant.allowances[unit]!.limit } };
  const one = { amounts: { [unit]: 1 } };
  let jobId: string | undefined;
  while (!isOver()) {
    if (jobId === undefined) {
      const [made] = await clients.perform([requests.createJob(tenant)], random);
      jobId = acknowledged(made!)[0]?.body.id;
      continue;
    }
    const [taken] = await clients.perform([requests.reserveAt(tenant, jobId, all)], random);
    const [held] = acknowledged(taken!);
    if (held) {
      const at = jobId;
      await Promise.all(clients.urls.map((url) => clients.ask(url, requests.reserveAt(tenant, at, one))));
      await clients.perform([requests.release(tenant, held.body)], random);
    }
    await sleep(random.int(...PAUSE_MS));
  }
}
