import type { Amounts } from "#libs/plan";
import type { Request } from "./operation.js";
import type { Random } from "./random.js";
import { serviceBody, SHARED, type OpenReservation, type Tenant } from "./tenants.js";

const SHORT_TTL_MS = [1_000, 3_000] as const;
const LONG_TTL_MS = 60_000;

/** Makes the requests of clients: each has a key of its own, or is idempotent by nature. */
export class Requests {
  private made = 0;

  constructor(
    private readonly random: Random,
    private readonly prefix: string,
  ) {}

  key(): string {
    this.made += 1;
    return `${this.prefix}-${this.made}`;
  }

  createJob(tenant: Tenant): Request {
    const { random } = this;
    const [unit] = tenant.units as [string];
    const most = tenant.jobAllowance?.[unit];
    const own = most !== undefined && random.chance(0.3) ? { [unit]: random.int(500, most) } : undefined;
    const user = tenant.users.length > 0 && random.chance(0.8) ? random.pick(tenant.users) : undefined;
    const body = { ...(user !== undefined && { user }), ...(own && { allowance: own }) };
    return this.createJobOf(tenant, body);
  }

  createJobOf(tenant: Tenant, body: object): Request {
    return this.post(tenant, "createJob", "/v1/jobs", { body, key: this.key() });
  }

  endJob(tenant: Tenant): Request {
    const kind = this.random.chance(0.5) ? "closeJob" : "cancelJob";
    const [jobId] = tenant.jobs.splice(this.random.int(0, tenant.jobs.length - 1), 1);
    const path = `/v1/jobs/${jobId}/${kind === "closeJob" ? "close" : "cancel"}`;
    return this.post(tenant, kind, path, { ids: { jobId } });
  }

  reserve(tenant: Tenant): Request {
    const { random } = this;
    const jobId = random.pick(tenant.jobs);
    const ttlMs = random.chance(0.3) ? random.int(...SHORT_TTL_MS) : LONG_TTL_MS;
    const size = random.chance(0.7)
      ? { amounts: this.amounts(tenant, 400) }
      : {
          plan: { children: random.int(1, 5), attempts: random.int(1, 3), attemptCost: this.amounts(tenant, 80) },
          ...(random.chance(0.5) && { admit: "partial" }),
        };
    const service = tenant.units.includes(SHARED.unit) && random.chance(0.3) && { service: SHARED.name };
    return this.reserveAt(tenant, jobId, { ...size, ttlMs, ...service });
  }

  reserveAt(tenant: Tenant, jobId: string, body: object): Request {
    return this.post(tenant, "reserve", `/v1/jobs/${jobId}/reservations`, { body, key: this.key(), ids: { jobId } });
  }

  settle(tenant: Tenant): Request {
    const { id, reserved } = this.take(tenant);
    // Mostly less than was reserved, sometimes all of it or more.
    const share = this.random.chance(0.7) ? this.random.next() : this.random.pick([0, 1, 1.3]);
    const actual = Object.fromEntries(Object.entries(reserved).map(([unit, n]) => [unit, Math.round(n * share)]));
    return this.onReservation(tenant, "settle", id, { actual });
  }

  release(tenant: Tenant, { id }: Pick<OpenReservation, "id"> = this.take(tenant)): Request {
    return this.onReservation(tenant, "release", id);
  }

  extend(tenant: Tenant): Request {
    const { id } = this.random.pick(tenant.open);
    return this.onReservation(tenant, "extend", id, { ttlMs: this.random.int(1_000, LONG_TTL_MS) });
  }

  admin(tenant: Tenant, kind: Request["kind"], method: "PUT" | "POST", path: string, body?: object): Request {
    const key = kind === "adjust" ? this.key() : null;
    const keyed = kind === "adjust" ? { ...body, reason: key } : body;
    const whole = `/v1/admin/tenants/${tenant.id}/${path}`;
    return { kind, tenant, method, path: whole, key, admin: true, ...(keyed && { body: keyed }) };
  }

  /** What all tenants share; in the log it is of the tenant that it is asked for. */
  setServiceLimit(tenant: Tenant, limit: number): Request {
    const path = `/v1/admin/services/${SHARED.name}`;
    const body = serviceBody(SHARED, limit);
    return { kind: "setServiceLimit", tenant, method: "PUT", path, key: null, admin: true, body };
  }

  /** One attempt of a few children: two clients may say different things of the same one, and only one of them is heard. */
  charge(tenant: Tenant, { id, reserved }: OpenReservation = this.random.pick(tenant.open)): Request {
    const { random } = this;
    const share = random.pick([0, 0.1, 0.3, 0.5]);
    const actual = Object.fromEntries(Object.entries(reserved).map(([unit, n]) => [unit, Math.round(n * share)]));
    const outcome = random.chance(0.7) ? "succeeded" : "failed";
    const body = { child: random.int(1, 4), attempt: random.int(1, 2), outcome, actual };
    const path = `/v1/reservations/${id}/charges`;
    return this.post(tenant, "charge", path, { body, key: this.key(), ids: { reservationId: id } });
  }

  /** Mostly it is this client's alone from now on; sometimes another may close it too, and only one of them can. */
  private take(tenant: Tenant): OpenReservation {
    const at = this.random.int(0, tenant.open.length - 1);
    return this.random.chance(0.85) ? tenant.open.splice(at, 1)[0]! : tenant.open[at]!;
  }

  /** One unit, or all that the tenant has; rarely zero. */
  private amounts({ units }: Tenant, most: number): Amounts {
    const some = units.length > 1 && this.random.chance(0.7) ? units : [this.random.pick(units)];
    return Object.fromEntries(some.map((unit) => [unit, this.random.int(0, most) * (unit === "usd_micros" ? 60 : 1)]));
  }

  private onReservation(tenant: Tenant, kind: "settle" | "release" | "extend", id: string, body?: object): Request {
    const path = `/v1/reservations/${id}/${kind}`;
    return this.post(tenant, kind, path, { ids: { reservationId: id }, ...(body && { body }) });
  }

  private post(
    tenant: Tenant,
    kind: Request["kind"],
    path: string,
    { body, key = null, ids }: { body?: object; key?: string | null; ids?: object },
  ): Request {
    const inBatch = { op: kind, ...ids, ...body, ...(key !== null && { idempotencyKey: key }) };
    return { kind, tenant, method: "POST", path, key, inBatch, ...(body && { body }) };
  }
}
