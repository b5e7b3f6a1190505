import { setTimeout as sleep } from "node:timers/promises";
import type { BalanceView } from "../support/http.js";
import type { Clients } from "./client.js";
import { isOpen, type Request } from "./operation.js";
import type { Random } from "./random.js";
import { Requests } from "./requests.js";
import { SHARED, type Tenant } from "./tenants.js";

const PAUSE_MS = [20, 200] as const;
const SUSPENDED_MS = [50, 400] as const;

const MIX = { setLimit: 5, setUserLimit: 3, adjust: 4, suspend: 1, setServiceLimit: 2 };

/** The operator: one change at a time, so that what was acknowledged last is what holds. */
export class Operator {
  private readonly requests: Requests;
  /** Each limit is set once only, so that an entry of the ledger can be told to be of that change. */
  private readonly used = new Set<number>();

  constructor(
    private readonly clients: Clients,
    private readonly tenants: readonly Tenant[],
    private readonly random: Random,
  ) {
    this.requests = new Requests(random.fork(0), "operator");
  }

  async work(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const tenant = this.random.pick(this.tenants);
      const kind = this.random.weighted(MIX);
      if (kind === "suspend") await this.suspend(tenant);
      else await this.clients.perform([await this.change(tenant, kind)], this.random);
      await sleep(this.random.int(...PAUSE_MS));
    }
  }

  private async suspend(tenant: Tenant): Promise<void> {
    await this.clients.perform([this.requests.admin(tenant, "suspend", "POST", "suspend")], this.random);
    await sleep(this.random.int(...SUSPENDED_MS));
    for (let resumed = false; !resumed;) {
      const [done] = await this.clients.perform([this.requests.admin(tenant, "resume", "POST", "resume")], this.random);
      resumed = !isOpen(done!);
    }
  }

  private async change(
    tenant: Tenant,
    kind: "setLimit" | "setUserLimit" | "adjust" | "setServiceLimit",
  ): Promise<Request> {
    if (kind === "setServiceLimit") {
      const limit = this.unused(await this.takenOfShared(), this.scale(SHARED.unit));
      return this.requests.setServiceLimit(tenant, limit);
    }
    const unit = this.random.pick(tenant.units);
    if (kind === "setUserLimit" && tenant.users.length > 0) {
      const user = this.random.pick(tenant.users);
      const limit = await this.near(tenant, unit, `user:${user}`);
      const path = `users/${encodeURIComponent(user)}/allowances/${unit}`;
      return this.requests.admin(tenant, "setUserLimit", "PUT", path, { limit });
    }
    if (kind === "adjust") {
      const delta = this.delta(this.scale(unit));
      return this.requests.admin(tenant, "adjust", "POST", `allowances/${unit}/adjust`, { delta });
    }
    const limit = await this.near(tenant, unit, "tenant");
    return this.requests.admin(tenant, "setLimit", "PUT", `allowances/${unit}`, { limit });
  }

  /** Mostly more; never by nothing, which would be refused. */
  private delta(scale: number): number {
    for (;;) {
      const delta = this.random.int(-scale / 4, scale);
      if (delta !== 0) return delta;
    }
  }

  /** A limit round what is taken now: sometimes below it, mostly with a little room. */
  private async near(tenant: Tenant, unit: string, scope: string): Promise<number> {
    return this.unused(await this.taken(tenant, unit, scope), this.scale(unit));
  }

  private unused(taken: number, scale: number): number {
    for (;;) {
      const limit = Math.max(0, taken + this.random.int(-scale / 2, scale * 3));
      if (this.used.has(limit)) continue;
      this.used.add(limit);
      return limit;
    }
  }

  private async taken(tenant: Tenant, unit: string, scope: string): Promise<number> {
    const path = `/v1/balances?scope=${encodeURIComponent(scope)}&windows=current`;
    const answer = await this.clients
      .call(this.random.pick(this.clients.urls), tenant.key, "GET", path)
      .catch(() => null);
    return takenOf(answer?.status === 200 ? answer.body["data"] : [], unit);
  }

  private async takenOfShared(): Promise<number> {
    const url = this.random.pick(this.clients.urls);
    const answer = await this.clients.admin(url, "GET", `services/${SHARED.name}`).catch(() => null);
    return takenOf(answer?.status === 200 ? answer.body["balances"] : [], SHARED.unit);
  }

  private scale(unit: string): number {
    return unit === "usd_micros" ? 120_000 : 2_000;
  }
}

function takenOf(balances: unknown, unit: string): number {
  const found = (balances as BalanceView[]).find((balance) => balance.unit === unit);
  return found ? found.spent + found.reserved : 0;
}
