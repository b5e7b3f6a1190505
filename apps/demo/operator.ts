/** What the demo does with the operator's key. */

export class DemoError extends Error {}

export interface Tenant {
  readonly id: string;
  readonly name: string;
  /** Of the tenant. */
  readonly key: string;
}

const TIMEOUT_MS = 20_000;

export class Operator {
  constructor(
    readonly url: string,
    private readonly key: string,
  ) {}

  /** @throws DemoError unless it is answered with success. */
  async call<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`${this.url}/v1/admin${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.key}`,
        "idempotency-key": crypto.randomUUID(),
        ...(body && { "content-type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((error: unknown) => {
      throw new DemoError(`${this.url} cannot be reached: ${error instanceof Error ? error.message : String(error)}`);
    });
    const answer = (await response.json()) as T & { detail?: string };
    if (!response.ok) throw new DemoError(`${method} ${path} answered ${response.status}: ${answer.detail ?? ""}`);
    return answer;
  }

  async tenant(fields: { readonly name: string; readonly [field: string]: unknown }): Promise<Tenant> {
    const { id } = await this.call<{ id: string }>("POST", "/tenants", fields);
    const { key } = await this.call<{ key: string }>("POST", `/tenants/${id}/keys`, { name: "demo" });
    return { id, name: fields.name, key };
  }
}
