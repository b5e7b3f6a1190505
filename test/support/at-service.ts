import { newService } from "./flow.js";
import { HttpTenant, type BalanceView, type Holdfast, type Result } from "./http.js";
import type { Replicas } from "./replicas.js";

/** Two tenants and one service, whose allowance binds them together, at two processes. */

export const PLENTY = 1_000_000;

export const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

export const bound = (limit: number | string, more: object = {}) => ({ allowances: { tokens: { limit, ...more } } });

/** What was taken of the service's allowance in tokens. */
export async function serviceBalance(holdfast: Holdfast, service: string): Promise<BalanceView> {
  const { body } = await holdfast.admin("GET", `/v1/admin/services/${service}`);
  return (body["balances"] as BalanceView[])[0]!;
}

/** A tenant with plenty of its own, and a job of a user. */
export async function tenantAt(process: Holdfast, fields: object = {}) {
  const { id, key } = await process.tenant({ ...bound(PLENTY), ...fields });
  const tenant = new HttpTenant(process, id, key);
  return { tenant, jobId: await tenant.job({ user: "ada" }) };
}

export async function twoTenantsAt(replicas: Replicas, limit: number | string, more: object = {}) {
  const service = await newService(replicas.at(0), bound(limit, more));
  const [first, second] = [await tenantAt(replicas.at(0)), await tenantAt(replicas.at(1))];
  const ask = (tokens: number) => ({ amounts: { tokens }, service });
  const hold = ({ tenant, jobId }: typeof first, tokens: number, ttlMs = 60_000) =>
    tenant.openReservation({ jobId, ttlMs, body: ask(tokens) });
  return { service, first, second, ask, hold };
}

/** The ways to reserve: what is named does so, with `fields` in the body. */
export const WAYS: [string, object, (tenant: HttpTenant, jobId: string, body: object) => Promise<Result>][] = [
  ["a reserve", {}, (tenant, jobId, body) => tenant.reserve(jobId, body)],
  ["a batch", {}, async (tenant, jobId, body) => (await tenant.batch([{ op: "reserve", jobId, ...body }]))[0]!],
  ["what may be partial", { admit: "partial" }, (tenant, jobId, body) => tenant.reserve(jobId, body)],
  ["a dry run", { dryRun: true }, (tenant, jobId, body) => tenant.reserve(jobId, body)],
];

/** `[status, code, scope]` of a refusal. */
export const denial = ({ status, body }: Result) => [status, body.code, body.scope];
