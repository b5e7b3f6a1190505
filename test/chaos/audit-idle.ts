import type { BalanceView } from "../support/http.js";
import { eventually } from "../support/record.js";
import type { Clients } from "./client.js";
import { finding, type Finding } from "./findings.js";
import { isDone, type Answered, type Request } from "./operation.js";
import type { Random } from "./random.js";
import { Requests } from "./requests.js";
import type { Tenant } from "./tenants.js";

/** How soon a change holds at every process, milliseconds. */
const REACHES_WITHIN_MS = 3_000;
const ROOM = 1_000;

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
    const { spent, reserved } = await this.balance(first);
    const limit = spent + reserved + ROOM;
    await this.done(first, requests.admin(tenant, "setLimit", "PUT", `allowances/${unit}`, { limit }));
    // No user and no allowance of its own: what binds is the tenant's limit, and the default of jobs.
    const { id } = await this.done(first, requests.createJob({ ...tenant, users: [], jobAllowance: {} }));
    for (const url of clients.urls) await this.takeAll(url, id);
  }

  /** Again while it fails: what others left open expires meanwhile and makes more room. */
  private async takeAll(url: string, jobId: string): Promise<void> {
    await eventually(async () => {
      const held = [await this.done(url, this.reserve(jobId, await this.available(url)))];
      for (const other of this.clients.urls) {
        const answer = await this.answer(other, this.reserve(jobId, 1));
        if (isDone(answer)) held.push(answer.body);
      }
      for (const { id } of held) await this.done(url, this.requests.release(this.tenant, { id }));
      if (held.length > 1) throw new Error("one more than there is was admitted");
      return true;
    }, REACHES_WITHIN_MS);
  }

  private reserve(jobId: string, amount: number): Request {
    return this.requests.reserveAt(this.tenant, jobId, { amounts: { [this.unit]: amount } });
  }

  private async available(url: string): Promise<number> {
    const { available } = await this.balance(url);
    return Math.min(available, this.tenant.jobAllowance?.[this.unit] ?? Infinity);
  }

  private async balance(url: string): Promise<BalanceView> {
    const { tenant, unit } = this;
    const { body } = await this.clients.call(url, tenant.key, "GET", "/v1/balances?scope=tenant&windows=current");
    return (body["data"] as BalanceView[]).find((balance) => balance.unit === unit)!;
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
