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
  postgres!: Postgres;
  /** One of the two, by the kind of Redis. */
  pair: RedisPair | null = null;
  trio: RedisTrio | null = null;
  private readonly folder = mkdtempSync(join(tmpdir(), "holdfast-chaos-"));

  private constructor() {
    // An account of its own runs PostgreSQL where root starts it.
    chmodSync(this.folder, 0o755);
  }

  static async start(redis: RedisKind): Promise<World> {
    const world = new World();
    try {
      await world.open(redis);
      return world;
    } catch (error) {
      await world.stop();
      throw error;
    }
  }

  get replicas(): Replica[] {
    return [...this.apis, ...this.reconcilers];
  }

  async stop(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.stop()));
    await Promise.all([this.pair?.stop(), this.trio?.stop(), this.postgres?.stop()]);
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async open(redis: RedisKind): Promise<void> {
    this.postgres = await Postgres.start(this.folder);
    if (redis === "pair") this.pair = await RedisPair.start(this.folder);
    else this.trio = await RedisTrio.start(this.folder);
    const services: Services = {
      postgresUrl: this.postgres.url,
      redisUrl: this.pair?.url ?? this.trio!.url,
      redisByProxy: this.pair !== null,
    };
    const add = async (list: Replica[], role: "api" | "reconciler"): Promise<void> =>
      void list.push(await Replica.start(role, services));
    await add(this.apis, "api");
    const more = Array.from({ length: APIS - 1 }, () => add(this.apis, "api"));
    await Promise.all([...more, ...Array.from({ length: RECONCILERS }, () => add(this.reconcilers, "reconciler"))]);
  }
}
