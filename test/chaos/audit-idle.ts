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
  for (const tenant of tenants) {
    try {
      await new IdleTenant(clients, tenant, new Requests(random, `idle-${tenant.name}`)).check();
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : "";
      found.push(finding("other", `${tenant.name} at rest: ${String(error)}${cause}`));
    }
  }
  return found;
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
    await this.done(first, requests.admin(tenant, "adjust", "POST", `allowances/${unit}/adjust`, { delta: ROOM }));
    // No user and no allowance of its own: what binds is the tenant's limit, and the default of jobs.
    const { id } = await this.done(first, requests.createJob({ ...tenant, users: [], jobAllowance: {} }));
    for (const url of clients.urls) await this.takeAll(url, id);
  }

  private async takeAll(url: string, jobId: string): Promise<void> {
    const { requests, tenant } = this;
    let held = "";
    await eventually(async () => {
      held = (await this.done(url, this.reserve(jobId, await this.available(url)))).id;
      return true;
    }, REACHES_WITHIN_MS);
    for (const other of this.clients.urls) {
      const { status } = await this.answer(other, this.reserve(jobId, 1));
      if (status !== 402) throw new Error(`one more than there is was answered ${status}`);
    }
    await this.done(url, requests.release(tenant, { id: held }));
  }

  private reserve(jobId: string, amount: number): Request {
    return this.requests.reserveAt(this.tenant, jobId, { amounts: { [this.unit]: amount } });
  }

  private async available(url: string): Promise<number> {
    const { tenant, unit } = this;
    const { body } = await this.clients.call(url, tenant.key, "GET", "/v1/balances?scope=tenant&windows=current");
    const found = (body["data"] as BalanceView[]).find((balance) => balance.unit === unit)!;
    return Math.min(found.available, tenant.jobAllowance?.[unit] ?? Infinity);
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
