import type { Clients } from "./client.js";
import { finding, type Finding } from "./findings.js";
import { acknowledged, isDone, type Logged, type OperationKind } from "./operation.js";
import type { Random } from "./random.js";

const MOST = 400;
const LANES = 16;

/** What may be asked again at any time and answers the same, by its key or by nature. */
const REPEATABLE: readonly OperationKind[] = ["createJob", "reserve", "adjust", "settle", "release", "charge"];

/**
 * Once things are quiet a part of what was acknowledged is asked again, of any replica, and so is whatever never got an
 * answer. The answers go into the log, where the auditor compares them with the first ones.
 */
export async function askAgain(clients: Clients, random: Random): Promise<Finding[]> {
  const repeatable = clients.log.filter(({ kind }) => REPEATABLE.includes(kind));
  const known = repeatable.filter((operation) => acknowledged(operation).length > 0);
  const unknown = repeatable.filter(({ replies }) => replies.every((reply) => reply === "unknown"));
  const waiting = random.shuffled([...random.shuffled(known).slice(0, MOST), ...unknown.slice(0, MOST)]).values();
  const found: Finding[] = [];
  const lane = async (): Promise<void> => {
    for (const operation of waiting) found.push(...(await again(clients, random.pick(clients.urls), operation)));
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return found;
}

async function again(clients: Clients, url: string, operation: Logged): Promise<Finding[]> {
  const wasDone = acknowledged(operation).length > 0;
  const { kind, key, path, tenant } = operation;
  const reply = await clients.askAgain(url, operation);
  if (reply === "unknown") return [finding("other", `${tenant.name}: ${kind} ${key ?? path} was not answered at rest`)];
  if (!wasDone || isDone(reply)) return [];
  return [finding("lost", `${tenant.name}: ${kind} ${key ?? path} was acknowledged and then refused:`, reply.body)];
}
