import type { Answer, HttpTenant } from "./http.js";

export type Row = Readonly<Record<string, unknown>>;

export const rowsOf = ({ body }: Answer) => body["data"] as Row[];

/** All pages of a list of the tenant, so many rows a page; `between` runs after each. */
export async function pages(
  tenant: HttpTenant,
  path: string,
  limit: number,
  between: () => Promise<unknown> = async () => undefined,
): Promise<Row[]> {
  const all: Row[] = [];
  for (let cursor = ""; ;) {
    const answer = await tenant.admin("GET", `${path}${path.includes("?") ? "&" : "?"}limit=${limit}${cursor}`);
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    all.push(...rowsOf(answer));
    const next = answer.body["nextCursor"] as string | null;
    if (next === null) return all;
    cursor = `&cursor=${next}`;
    await between();
  }
}
