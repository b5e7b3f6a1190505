import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "../support/record.js";
import { startRedisCluster, type RedisCluster, type RedisServer } from "../support/redis-servers.js";
import type { Random } from "./random.js";
import { callAt } from "./redis-pair.js";

const WHOLE_WITHIN_MS = 20_000;
const MOVED_SLOTS = 1_000;
const MOVED_MS = [500, 1_500] as const;

/** A Redis Cluster of three masters without replicas, to be mistreated. */
export class RedisTrio {
  private constructor(private readonly cluster: RedisCluster) {}

  static async start(within: string): Promise<RedisTrio> {
    return new RedisTrio(await startRedisCluster({ within }));
  }

  get url(): string {
    return this.cluster.url;
  }

  get nodes(): readonly RedisServer[] {
    return this.cluster.nodes;
  }

  /** The node forgets what it held and keeps its slots. */
  async kill(node: RedisServer, downMs: number): Promise<void> {
    await node.kill();
    await sleep(downMs);
    await node.restart();
    await this.whole();
  }

  async pause(node: RedisServer, ms: number): Promise<void> {
    node.suspend();
    await sleep(ms);
    node.resume();
    await this.whole();
  }

  /** Hands slots of a node, whose keys are lost, to another and then back: clients are told MOVED. */
  async moveSlots(random: Random): Promise<void> {
    const [from, to, other] = random.shuffled(this.nodes) as [RedisServer, RedisServer, RedisServer];
    const slots = await firstSlotsOf(from);
    for (const [giver, taker] of [
      [from, to],
      [to, from],
    ] as const) {
      const id = String(await callAt(taker, "CLUSTER", "MYID"));
      // The taker first: it must know that a slot is its own before anybody is sent there.
      for (const node of [taker, giver, other]) await assign(node, slots, id, { forgets: node === giver });
      await this.whole();
      await sleep(random.int(...MOVED_MS));
    }
  }

  stop(): Promise<void> {
    return this.cluster.stop();
  }

  /** Resolves once every node knows an owner for every slot. */
  private async whole(): Promise<void> {
    await eventually(async () => {
      const infos = await Promise.all(this.nodes.map((node) => callAt(node, "CLUSTER", "INFO")));
      return infos.every((info) => String(info).includes("cluster_state:ok"));
    }, WHOLE_WITHIN_MS);
  }
}

async function firstSlotsOf(node: RedisServer): Promise<number[]> {
  const shards = (await callAt(node, "CLUSTER", "SLOTS")) as [number, number, [string, number]][];
  const [first] = shards.find(([, , [, port]]) => port === node.port)!;
  return Array.from({ length: MOVED_SLOTS }, (_, i) => first + i);
}

/** In one step with forgetting: a slot can be given away only while it holds no keys, and clients go on writing some. */
async function assign(
  node: RedisServer,
  slots: readonly number[],
  ownerId: string,
  { forgets }: { forgets: boolean },
): Promise<void> {
  const redis = node.client();
  try {
    const step = redis.multi();
    if (forgets) step.flushall();
    for (const slot of slots) step.call("CLUSTER", "SETSLOT", slot, "NODE", ownerId);
    const results = await step.exec();
    const failed = results?.find(([error]) => error);
    if (failed) throw failed[0]!;
  } finally {
    redis.disconnect();
  }
}
