import type pg from "pg";
import { RedisFlowStore, type Limits, type ServiceView } from "#libs/flow";
import { openRedis, parseRedisUrl } from "#libs/redis";
import { isWanted, NO_TENANT, tellOnce, toldOf, type Look } from "./looks.js";
import { addEvent, inTransaction } from "./outbox.js";

/** Longest wait for Redis, milliseconds: nobody waits for this look. */
const TIMEOUT_MS = 1_000;
/** It only reads, so no permit ever has this lease. */
const LEASE_MS = 1;

const WITH_BREAKER =
  "SELECT name, settings -> 'breaker' AS breaker FROM services WHERE settings -> 'breaker' IS NOT NULL";

interface ServiceRow {
  readonly name: string;
  readonly breaker: NonNullable<Limits["breaker"]>;
}

/** How services stand as Redis has it; without Redis each process has its own, and none is the service's. */
export class ServiceStates {
  private readonly store: RedisFlowStore;

  constructor(redisUrl: string) {
    const address = parseRedisUrl(redisUrl);
    this.store = new RedisFlowStore({
      connect: () => openRedis(address, {}),
      leaseMs: LEASE_MS,
      timeoutMs: TIMEOUT_MS,
    });
  }

  /** Half-open is open still: it lets trials through, and most end where they began. @throws where Redis does not answer. */
  async of({ name, breaker }: ServiceRow): Promise<"open" | "closed"> {
    const { breaker: phase } = await this.show(name, { breaker });
    return phase === "closed" ? "closed" : "open";
  }

  /** How a service stands. @throws where Redis does not answer. */
  show(service: string, limits: Limits): Promise<ServiceView> {
    return this.store.show(service, limits);
  }

  close(): void {
    this.store.close();
  }
}

/** Tells that the breaker of a service has opened, or has closed again. */
export class Breakers implements Look {
  readonly type = "breaker.changed";

  constructor(
    private readonly pool: pg.Pool,
    private readonly states: ServiceStates,
  ) {}

  async run(signal: AbortSignal): Promise<number> {
    if (!(await isWanted(this.pool, this.type))) return 0;
    const { rows } = await this.pool.query<ServiceRow>(WITH_BREAKER);
    let added = 0;
    for (const service of rows) {
      if (signal.aborted) break;
      added += await this.look(service);
    }
    return added;
  }

  private async look(service: ServiceRow): Promise<number> {
    const subject = `breaker:${service.name}`;
    const to = await this.states.of(service);
    const from = (await toldOf(this.pool, NO_TENANT, subject)) ?? "closed";
    if (from === to) return 0;
    return inTransaction(this.pool, async (client) => {
      if (!(await tellOnce(client, NO_TENANT, subject, to))) return 0;
      const data = { service: service.name, from, to };
      return Math.sign(await addEvent(client, { type: this.type, tenantId: null, data }));
    });
  }
}
