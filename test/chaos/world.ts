import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Postgres } from "./postgres.js";
import { RedisTrio } from "./redis-trio.js";
import { RedisPair } from "./redis-pair.js";
import { Replica, type Services } from "./replica.js";

const APIS = 3;
const RECONCILERS = 2;

export type RedisKind = "pair" | "cluster";

/** Everything that a run disturbs: services and processes of its own, so that nobody else is hurt. */
export class World {
  readonly apis: Replica[] = [];
  readonly reconcilers: Replica[] = [];
  private server: Postgres | undefined;
  /** One of the two, by the kind of Redis. */
  pair: RedisPair | null = null;
  trio: RedisTrio | null = null;
  private readonly folder = mkdtempSync(join(tmpdir(), "holdfast-chaos-"));

  constructor() {
    // An account of its own runs PostgreSQL where root starts it.
    chmodSync(this.folder, 0o755);
  }

  get postgres(): Postgres {
    if (!this.server) throw new Error("not started");
    return this.server;
  }

  get replicas(): Replica[] {
    return [...this.apis, ...this.reconcilers];
  }

  async start(redis: RedisKind): Promise<void> {
    this.server = await Postgres.start(this.folder);
    if (redis === "pair") this.pair = await RedisPair.start(this.folder);
    else this.trio = await RedisTrio.start(this.folder);
    const services: Services = {
      postgresUrl: this.postgres.url,
      redisUrl: this.pair?.url ?? this.trio!.url,
      redisByProxy: this.pair !== null,
    };
    const first = await Replica.start("api", services);
    this.apis.push(first);
    const start = (count: number, role: "api" | "reconciler") =>
      Promise.all(Array.from({ length: count }, () => Replica.start(role, services)));
    const [apis, reconcilers] = await Promise.all([start(APIS - 1, "api"), start(RECONCILERS, "reconciler")]);
    this.apis.push(...apis);
    this.reconcilers.push(...reconcilers);
  }

  /** Safe to call twice. */
  async stop(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.stop()));
    await Promise.all([this.pair?.stop(), this.trio?.stop(), this.server?.stop()]);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
