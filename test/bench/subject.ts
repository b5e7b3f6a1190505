import { randomBytes } from "node:crypto";
import { Target, type Answer, type Request } from "./load.js";

export interface Tenant {
  readonly id: string;
  readonly target: Target;
  readonly headers: Readonly<Record<string, string>>;
  readonly jobs: readonly string[];
}

const SERVICE = "bench";
const LIMIT = 9_000_000_000_000_000;
let count = 0;
const run = randomBytes(4).toString("hex");

function key(): string {
  count += 1;
  return `${run}-${count}`;
}

/** Holdfast under load, through its public API only. */
export class Subject {
  private readonly target: Target;
  private readonly admin: Readonly<Record<string, string>>;

  constructor(url: string, adminKey: string) {
    this.target = new Target(url);
    this.admin = { authorization: `Bearer ${adminKey}` };
  }

  async tenant(jobs: number, limit: number = LIMIT): Promise<Tenant> {
    const { target, admin } = this;
    const { id } = await made(
      target.send("/v1/admin/tenants", { name: "bench", allowances: { tokens: { limit } } }, admin),
    );
    const { key: secret } = await made(target.send(`/v1/admin/tenants/${id}/keys`, { name: "bench" }, admin));
    const headers = { authorization: `Bearer ${secret}` };
    const ids: string[] = [];
    for (let i = 0; i < jobs; i += 1) {
      const job = await made(target.send("/v1/jobs", { user: "bench" }, { ...headers, "idempotency-key": key() }));
      ids.push(job.id);
    }
    return { id, target, headers, jobs: ids };
  }

  /** So many tenants, sixteen at a time. */
  async tenants(count: number, jobs: number, limit?: number): Promise<Tenant[]> {
    const tenants: Tenant[] = [];
    while (tenants.length < count) {
      const wave = Array.from({ length: Math.min(16, count - tenants.length) }, () => this.tenant(jobs, limit));
      tenants.push(...(await Promise.all(wave)));
    }
    return tenants;
  }

  /** A service with bounds of every kind that none of the load meets. */
  async service(): Promise<void> {
    const settings = {
      ...{ ratePerSecond: 1_000_000, burst: 1_000_000, concurrency: 100_000 },
      breaker: { failures: 1_000, windowMs: 10_000, resetMs: 1_000, probes: 1 },
    };
    expect(await this.target.send(`/v1/admin/services/${SERVICE}`, settings, this.admin, "PUT"), 200);
  }

  close(): Promise<void> {
    return this.target.close();
  }
}

async function made(answer: Promise<Answer>): Promise<{ id: string; key: string }> {
  return expect(await answer, 201) as { id: string; key: string };
}

function expect({ status, body }: Answer, wanted: number): unknown {
  if (status !== wanted) throw new Error(`expected ${wanted}, got ${status}: ${JSON.stringify(body)}`);
  return body;
}

function pick<T>(list: readonly T[]): T {
  return list[Math.floor(Math.random() * list.length)]!;
}

const plan = { plan: { children: 4, attempts: 3, attemptCost: { tokens: 20 } } };
/** The body that the echo gets too: as long as a reservation. */
export const BODY = plan;

async function reserveOne({ target, headers, jobs }: Tenant, status: number): Promise<{ id: string }> {
  const path = `/v1/jobs/${pick(jobs)}/reservations`;
  return expect(await target.send(path, plan, { ...headers, "idempotency-key": key() }), status) as { id: string };
}

export interface Hold {
  readonly tenant: Tenant;
  readonly id: string;
}

/** One open reservation a job, with room for every attempt of the run. */
export async function holdsOf(tenants: readonly Tenant[]): Promise<Hold[]> {
  const holds: Hold[] = [];
  for (const tenant of tenants) {
    for (const job of tenant.jobs) {
      const body = { amounts: { tokens: 1_000_000_000 }, ttlMs: 3_600_000 };
      const headers = { ...tenant.headers, "idempotency-key": key() };
      const { id } = await made(tenant.target.send(`/v1/jobs/${job}/reservations`, body, headers));
      holds.push({ tenant, id });
    }
  }
  return holds;
}

export const requests = {
  reserve:
    (tenants: readonly Tenant[]): Request =>
    async () => {
      await reserveOne(pick(tenants), 201);
      return 1;
    },
  denied:
    (tenants: readonly Tenant[]): Request =>
    async () => {
      await reserveOne(pick(tenants), 402);
      return 1;
    },
  reserveAndSettle:
    (tenants: readonly Tenant[]): Request =>
    async () => {
      const tenant = pick(tenants);
      const { id } = await reserveOne(tenant, 201);
      const path = `/v1/reservations/${id}/settle`;
      expect(await tenant.target.send(path, { actual: { tokens: 100 } }, tenant.headers), 200);
      return 1;
    },
  /** Each pair an attempt of a child of its own. */
  permitAndFinish:
    (holds: readonly Hold[]): Request =>
    async () => {
      const { tenant, id } = pick(holds);
      const { target, headers } = tenant;
      const asked = { child: (count += 1), service: SERVICE };
      const permit = expect(await target.send(`/v1/reservations/${id}/permits`, asked, headers), 201) as { id: string };
      const end = { outcome: "succeeded", actual: { tokens: 1 } };
      expect(await target.send(`/v1/permits/${permit.id}/finish`, end, headers), 200);
      return 1;
    },
  batch:
    (tenants: readonly Tenant[]): Request =>
    async () => {
      const { target, headers, jobs } = pick(tenants);
      const operations = Array.from({ length: 64 }, () => ({
        op: "reserve",
        jobId: pick(jobs),
        idempotencyKey: key(),
        ...plan,
      }));
      const { results } = expect(await target.send("/v1/batch", { operations }, headers), 200) as { results: Answer[] };
      for (const result of results) expect(result, 201);
      return operations.length;
    },
};
