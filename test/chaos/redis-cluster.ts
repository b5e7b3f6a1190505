import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { findRedis, freePort } from "#libs/embedded";
import type { Random } from "./random.js";

const NODES = 3;
const SLOTS = 16_384;
const READY_WITHIN_MS = 20_000;
/** A node that is silent for so long counts as failed. */
const NODE_TIMEOUT_MS = 1_000;
/** The bus that nodes talk on; its port has to be one too, so a port must lie below. */
const BUS = 10_000;

interface Node {
  readonly port: number;
  readonly folder: string;
  child: ChildProcess;
}

/** A Redis Cluster of three masters, to be mistreated. */
export class RedisCluster {
  private readonly nodes: Node[] = [];

  static async start(folder: string): Promise<RedisCluster> {
    const cluster = new RedisCluster();
    for (let i = 0; i < NODES; i += 1) {
      const node = { port: await portWithBus(), folder: join(folder, `node-${i}`) };
      mkdirSync(node.folder);
      cluster.nodes.push({ ...node, child: launch(node) });
    }
    await cluster.join();
    return cluster;
  }

  get url(): string {
    return `redis+cluster://${this.nodes.map(({ port }) => `127.0.0.1:${port}`).join(",")}`;
  }

  get size(): number {
    return this.nodes.length;
  }

  /** SIGKILL; the node forgets what it held, keeps its slots, and comes back after a while. */
  async kill(index: number, downMs: number): Promise<void> {
    const node = this.nodes[index]!;
    await end(node.child);
    await sleep(downMs);
    node.child = launch(node);
    await this.whole();
  }

  async pause(index: number, ms: number): Promise<void> {
    const { child } = this.nodes[index]!;
    child.kill("SIGSTOP");
    await sleep(ms);
    child.kill("SIGCONT");
    await this.whole();
  }

  call(index: number, command: string, ...args: (string | number)[]): Promise<unknown> {
    return this.connected(index, (redis) => redis.call(command, ...args));
  }

  /** Hands the first slots of a node, whose keys are lost, to another and then back: clients are told MOVED. */
  async swapSlots(random: Random): Promise<void> {
    const [from, to, other] = random.shuffled([0, 1, 2]) as [number, number, number];
    const [first, last] = this.slotsOf(from);
    const some = Array.from({ length: Math.ceil((last - first) / 4) }, (_, i) => first + i);
    for (const [giver, taker] of [
      [from, to],
      [to, from],
    ] as const) {
      const id = String(await this.call(taker, "CLUSTER", "MYID"));
      await this.call(giver, "FLUSHALL");
      // The taker first: it must know that a slot is its own before anybody is sent there.
      for (const node of [taker, giver, other]) await this.assign(node, some, id);
      await this.whole();
      await sleep(random.int(500, 1_500));
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map(({ child }) => end(child)));
  }

  /** Resolves once every node is there and knows an owner for every slot. */
  async whole(): Promise<void> {
    for (const until = performance.now() + READY_WITHIN_MS; ; await sleep(50)) {
      const states = await Promise.all(this.nodes.map((_, i) => this.stateOf(i)));
      if (states.every((state) => state === "ok")) return;
      if (performance.now() > until) throw new Error(`the Redis Cluster is not whole: ${states.join(", ")}`);
    }
  }

  private async assign(index: number, slots: readonly number[], nodeId: string): Promise<void> {
    await this.connected(index, (redis) =>
      Promise.all(slots.map((slot) => redis.call("CLUSTER", "SETSLOT", slot, "NODE", nodeId))),
    );
  }

  private async connected<T>(index: number, use: (redis: Redis) => Promise<T>): Promise<T> {
    const redis = new Redis({ host: "127.0.0.1", port: this.nodes[index]!.port, lazyConnect: true, ...ONCE });
    redis.on("error", () => undefined);
    try {
      await redis.connect();
      return await use(redis);
    } finally {
      redis.disconnect();
    }
  }

  private async join(): Promise<void> {
    for (const until = performance.now() + READY_WITHIN_MS; ; await sleep(50)) {
      const states = await Promise.all(this.nodes.map((_, i) => this.stateOf(i)));
      if (!states.includes("away")) break;
      if (performance.now() > until) throw new Error("a node of the Redis Cluster did not start");
    }
    for (let i = 0; i < NODES; i += 1) {
      await this.call(i, "CLUSTER", "ADDSLOTSRANGE", ...this.slotsOf(i));
      await this.call(i, "CLUSTER", "SET-CONFIG-EPOCH", i + 1);
    }
    for (const { port } of this.nodes.slice(1)) await this.call(0, "CLUSTER", "MEET", "127.0.0.1", port);
    await this.whole();
  }

  private slotsOf(index: number): [first: number, last: number] {
    const border = (i: number): number => Math.floor((SLOTS * i) / NODES);
    return [border(index), border(index + 1) - 1];
  }

  private async stateOf(index: number): Promise<string> {
    const info = await this.call(index, "CLUSTER", "INFO").catch(() => "cluster_state:away");
    return /cluster_state:(\w+)/.exec(String(info))![1]!;
  }
}

const ONCE = { retryStrategy: () => null, connectTimeout: 1_000, commandTimeout: 2_000 };

async function portWithBus(): Promise<number> {
  for (;;) {
    const port = await freePort();
    if (port + BUS < 65_536) return port;
  }
}

function launch({ port, folder }: Pick<Node, "port" | "folder">): ChildProcess {
  const program = findRedis();
  if (program === undefined) throw new Error("neither redis-server nor valkey-server is on PATH");
  const options = {
    bind: "127.0.0.1",
    port,
    dir: folder,
    save: "",
    appendonly: "no",
    "cluster-enabled": "yes",
    "cluster-node-timeout": NODE_TIMEOUT_MS,
  };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = spawn(program, args, { stdio: "ignore" });
  const onExit = (): void => void child.kill("SIGKILL");
  process.once("exit", onExit);
  child.once("exit", () => process.removeListener("exit", onExit));
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}
