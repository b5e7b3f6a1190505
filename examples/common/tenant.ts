import { Holdfast } from "#libs/client"; // in your project: "@holdfast/client"
import type { Options } from "./options.js";

interface Limits {
  readonly allowances: Readonly<Record<string, { readonly limit: number }>>;
}

/** A tenant of its own for this run, as an operator makes one; it stays afterwards, to be looked at. */
export async function newTenant({ url, adminKey }: Options, name: string, limits: Limits): Promise<Holdfast> {
  const admin = async (method: string, path: string, body: object): Promise<{ id: string; key: string }> => {
    const response = await fetch(`${url}/v1/admin/${path}`, {
      method,
      headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as { id: string; key: string; detail?: string };
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer.detail ?? ""}`);
    return answer;
  };
  const { id } = await admin("POST", "tenants", { name, ...limits });
  const { key } = await admin("POST", `tenants/${id}/keys`, { name: "example" });
  return new Holdfast({ baseUrl: url, apiKey: key });
}

/** The tenant's figures in one unit, for the last line of a table. */
export async function balanceOf(holdfast: Holdfast, unit: string): Promise<string> {
  const { data } = await holdfast.balances({ scope: "tenant" });
  const { limit, spent, reserved } = data.find((balance) => balance.unit === unit)!;
  return `${unit}: limit ${limit}, spent ${spent}, reserved ${reserved}`;
}
