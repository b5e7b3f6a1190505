import type { HttpTenant } from "./http.js";
import { eventually } from "./record.js";

export interface ListedDenial {
  readonly id: string;
  readonly code: string;
  readonly observed: boolean;
  readonly scope: { readonly kind: string; readonly id: string | null };
  readonly unit: string;
  readonly jobId?: string;
  readonly service?: string;
  readonly count: number;
  readonly firstAt: string;
  readonly lastAt: string;
  readonly last: Readonly<Record<string, unknown>>;
}

export interface Explained extends ListedDenial {
  readonly scopes: readonly {
    readonly scope: { readonly kind: string; readonly id: string };
    readonly at: string;
    readonly movements: readonly Readonly<Record<string, unknown>>[];
    readonly [figure: string]: unknown;
  }[];
  readonly wouldFit: object;
}

export const countOf = (denials: readonly ListedDenial[]): number => denials.reduce((sum, { count }) => sum + count, 0);

/** The tenant's own view of its denials, newest first. */
export async function denialsOf(tenant: HttpTenant, query = ""): Promise<ListedDenial[]> {
  return (await tenant.call("GET", `/v1/denials${query}`)).body["data"] as ListedDenial[];
}

/** The same, once so many are written. */
export async function writtenDenials(tenant: HttpTenant, count: number): Promise<ListedDenial[]> {
  await eventually(async () => countOf(await denialsOf(tenant, "?limit=500")) >= count);
  return denialsOf(tenant, "?limit=500");
}

export async function explained(tenant: HttpTenant, id: string): Promise<Explained> {
  return (await tenant.call("GET", `/v1/denials/${id}`)).body as unknown as Explained;
}
