import { setTimeout as sleep } from "node:timers/promises";
import type { StubService } from "../support/stub-service.js";
import { work, type Client, type Worked } from "./client.js";
import type { Scale } from "./scale.js";

/** What a run came to. */
export interface Played {
  readonly wholeMs: number;
  /** Null where the modest tenant was alone. */
  readonly greedy: Worked | null;
  readonly modest: Worked;
}

export interface Clients {
  readonly greedy: Client | null;
  readonly modest: Client;
}

/** Both tenants call the service, or the modest one alone, and it breaks when it is to. */
export async function play(stub: StubService, scale: Scale, { greedy, modest }: Clients): Promise<Played> {
  const over = new AbortController();
  const outage = breakAndMend(stub, scale, over.signal);
  const begun = performance.now();
  const [greedyWorked, modestWorked] = await Promise.all([
    greedy && work(greedy, { accounts: scale.greedy, lanes: scale.greedy, thinkMs: 0 }, scale),
    work(modest, scale.modest, scale),
  ]);
  const wholeMs = performance.now() - begun;
  over.abort();
  await outage;
  return { wholeMs, greedy: greedyWorked, modest: modestWorked };
}

async function breakAndMend(stub: StubService, { brokenAtMs, brokenMs }: Scale, signal: AbortSignal): Promise<void> {
  try {
    await sleep(brokenAtMs, undefined, { signal });
    stub.break(true);
    await sleep(brokenMs, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  stub.break(false);
}

/** Milliseconds from the end of the outage until a tenant was served again. */
export function servedAfterMs({ succeededAt }: Worked, { brokenAtMs, brokenMs }: Scale): number {
  const mended = brokenAtMs + brokenMs;
  return Math.min(...succeededAt.filter((at) => at >= mended)) - mended;
}

/** How many of a tenant's calls were done when the service broke. */
export function doneBefore({ succeededAt }: Worked, { brokenAtMs }: Scale): number {
  return succeededAt.filter((at) => at < brokenAtMs).length;
}
