import type { Amounts } from "#libs/plan";
import type { Clients } from "./client.js";

export interface TenantShape {
  readonly name: string;
  readonly allowances: Readonly<Record<string, { readonly limit: number; readonly period?: "hour" }>>;
  readonly userAllowance?: Amounts;
  readonly jobAllowance?: Amounts;
  readonly users: readonly string[];
  /** The share of the load that goes here. */
  readonly weight: number;
}

/** One that is always at its limit, one with every scope and two units, one with a period, one that hardly does anything. */
export const SHAPES: readonly TenantShape[] = [
  { name: "hot", allowances: { tokens: { limit: 20_000 } }, users: [], weight: 8 },
  {
    name: "wide",
    allowances: { tokens: { limit: 150_000 }, usd_micros: { limit: 9_000_000 } },
    userAllowance: { tokens: 40_000, usd_micros: 2_500_000 },
    jobAllowance: { tokens: 3_000, usd_micros: 200_000 },
    users: ["ann", "bob", "c:d/é"],
    weight: 6,
  },
  { name: "hourly", allowances: { calls: { limit: 60_000, period: "hour" } }, users: ["eve"], weight: 4 },
  { name: "idle", allowances: { tokens: { limit: 2_000 } }, users: [], weight: 0.2 },
];

/** Its one client takes all of it and gives it back. */
export const BREATHING: TenantShape = {
  name: "breathing",
  allowances: { tokens: { limit: 1_000 } },
  users: [],
  weight: 0,
};

/** Its one client leaves everything to the sweep. */
export const FORGETTING: TenantShape = {
  name: "forgetting",
  allowances: { units: { limit: 1_000_000 } },
  users: [],
  weight: 0,
};

/** Never at its limit: it tells when a replica admits again. */
export const PROBE: TenantShape = {
  name: "probe",
  allowances: { units: { limit: 1_000_000_000 } },
  users: [],
  weight: 0,
};

export interface ServiceShape {
  readonly name: string;
  readonly unit: string;
  /** What all tenants share at first. */
  readonly limit: number;
  /** What single tenants may take of it themselves, by their names. */
  readonly shares: Readonly<Record<string, number>>;
}

/** Some of the work of every tenant with tokens is for it. */
export const SHARED: ServiceShape = { name: "shared", unit: "tokens", limit: 40_000, shares: { hot: 4_000 } };

export interface OpenReservation {
  readonly id: string;
  readonly reserved: Amounts;
}

/** A tenant as its clients know it. */
export interface Tenant extends TenantShape {
  readonly id: string;
  readonly key: string;
  readonly units: readonly string[];
  /** Jobs that new work goes to, the newest last. */
  readonly jobs: string[];
  /** Reservations that nobody has closed yet, as far as clients know. */
  readonly open: OpenReservation[];
}

export async function newTenant(clients: Clients, shape: TenantShape): Promise<Tenant> {
  const [url] = clients.urls as [string];
  const { name, allowances, userAllowance = {}, jobAllowance = {} } = shape;
  const { body } = await clients.admin(url, "POST", "tenants", { name, allowances, userAllowance, jobAllowance });
  const { body: made } = await clients.admin(url, "POST", `tenants/${body.id}/keys`, { name });
  return { ...shape, id: body.id, key: made.key, units: Object.keys(allowances), jobs: [], open: [] };
}

/** All that is set for a service, with this limit. */
export function serviceBody({ unit }: ServiceShape, limit: number): object {
  return { allowances: { [unit]: { limit } } };
}

/** A service, and the shares that these tenants have of it. */
export async function newService(clients: Clients, shape: ServiceShape, tenants: readonly Tenant[]): Promise<void> {
  const [url] = clients.urls as [string];
  const set = async (path: string, limit: number): Promise<void> => {
    const { status, body } = await clients.admin(
      url,
      "PUT",
      `${path}services/${shape.name}`,
      serviceBody(shape, limit),
    );
    if (status !== 200) throw new Error(JSON.stringify(body));
  };
  await set("", shape.limit);
  for (const { id, name } of tenants) if (shape.shares[name]) await set(`tenants/${id}/`, shape.shares[name]);
}
