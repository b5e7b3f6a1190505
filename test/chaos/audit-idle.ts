import type { BalanceView } from "../support/http.js";
import { eventually } from "../support/record.js";
import type { Clients } from "./client.js";
import { finding, type Finding } from "./findings.js";
import { isDone, type Answered, type Request } from "./operation.js";
import type { Random } from "./random.js";
import { Requests } from "./requests.js";
import type { Tenant } from "./tenants.js";

/** How soon a change holds at every process, milliseconds. */
const REACHES_WITHIN_MS = 5_000;
/** Not what any limit has already: a change to what is set is none, and not journalled. */
const ROOM = 1_237;

/**
 * Once things are quiet nobody is refused what there is: the operator makes a little room, and at every replica exactly
 * what is available is admitted and nothing more.
 */
export async function auditIdle(clients: Clients, tenants: readonly Tenant[], random: Random): Promise<Finding[]> {
  const found: Finding[] = [];
  const check = async (what: string, holds: () => Promise<void>): Promise<void> => {
    try {
      await holds();
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : "";
      found.push(finding("other", `${what} at rest: ${String(error)}${cause}`));
    }
  };
  for (const tenant of tenants) {
    const idle = new IdleTenant(clients, tenant, new Requests(random, `idle-${tenant.name}`));
    await check(tenant.name, () => idle.check());
  }
  for (const url of clients.urls) await check(url, () => usesRedis(clients, url));
  return found;
}

/** Its record alone would do, but nothing that is over may keep a process from its copies. */
async function usesRedis(clients: Clients, url: string): Promise<void> {
  await eventually(async () => {
    const { body } = await clients.call(url, "", "GET", "/health/ready");
    const { redis } = body["checks"] as { redis: { status: string } };
    if (redis.status !== "used") throw new Error(`Redis is ${redis.status}`);
    return true;
  }, REACHES_WITHIN_MS);
}

class IdleTenant {
  private readonly unit: string;

  constructor(
    private readonly clients: Clients,
    private readonly tenant: Tenant,
    private readonly requests: Requests,
  ) {
    this.unit = tenant.units[0]!;
  }

  async check(): Promise<void> {
    const { clients, requests, tenant, unit } = this;
    const [first] = clients.urls as [string];
    await this.done(first, requests.admin(tenant, "resume", "POST", "resume"));
    // As it was left, since a change brings new copies with it and would hide one that is wrong.
    for (const user of [null, ...tenant.users]) await this.takeAllAt(user);
    const { spent, reserved } = (await this.balance(first, "tenant"))!;
    const limit = spent + reserved + ROOM;
    await this.done(first, requests.admin(tenant, "setLimit", "PUT", `allowances/${unit}`, { limit }));
    await this.takeAllAt(null);
  }

  private async takeAllAt(user: string | null): Promise<void> {
    const { clients, requests, tenant } = this;
    // No allowance of its own: what binds are the limits of the tenant and of the user, and the default of jobs.
    const job = requests.createJobOf(tenant, user === null ? {} : { user });
    const { id } = await this.done(clients.urls[0]!, job);
    for (const url of clients.urls) await eventually(() => this.takeAll(url, id, user), REACHES_WITHIN_MS);
  }

  /** Fails where others take or give back meanwhile, as what they left open expires. */
  private async takeAll(url: string, jobId: string, user: string | null): Promise<true> {
    const available = await this.available(url, user);
    const held: string[] = [];
    if (available > 0) held.push((await this.done(url, this.reserve(jobId, available))).id);
    let more = 0;
    for (const other of this.clients.urls) {
      const answer = await this.answer(other, this.reserve(jobId, 1));
      if (!isDone(answer)) continue;
      more += 1;
      held.push(answer.body.id);
    }
    for (const id of held) await this.done(url, this.requests.release(this.tenant, { id }));
    if (more > 0) throw new Error("more than there is was admitted");
    return true;
  }

  private reserve(jobId: string, amount: number): Request {
    return this.requests.reserveAt(this.tenant, jobId, { amounts: { [this.unit]: amount } });
  }

  private async available(url: string, user: string | null): Promise<number> {
    const { userAllowance, jobAllowance } = this.tenant;
    const scopes = ["tenant", ...(user === null ? [] : [`user:${user}`])];
    const balances = await Promise.all(scopes.map((scope) => this.balance(url, scope)));
    const unused = userAllowance?.[this.unit] ?? Infinity;
    const ofScopes = balances.map((balance) => roomOf(balance, unused));
    return Math.min(...ofScopes, jobAllowance?.[this.unit] ?? Infinity);
  }

  private async balance(url: string, scope: string): Promise<BalanceView | undefined> {
    const { tenant, unit } = this;
    const path = `/v1/balances?scope=${encodeURIComponent(scope)}&windows=current`;
    const { body } = await this.clients.call(url, tenant.key, "GET", path);
    return (body["data"] as BalanceView[]).find((balance) => balance.unit === unit);
  }

  private async done(url: string, request: Request): Promise<Answered["body"]> {
    const answer = await this.answer(url, request);
    if (!isDone(answer)) throw new Error(`${request.kind} was refused: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  private async answer(url: string, request: Request): Promise<Answered> {
    const reply = await this.clients.ask(url, request);
    if (reply === "unknown") throw new Error(`${request.kind} was not answered`);
    return reply;
  }
}

/** One that is unlimited has room for everything; one that was never used, all of its limit. */
function roomOf(balance: BalanceView | undefined, unused: number): number {
  if (!balance) return unused;
  return balance.limit === "unlimited" ? Infinity : balance.available;
}
