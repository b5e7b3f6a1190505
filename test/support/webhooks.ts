import type { Receiver } from "./receiver.js";
import { startHoldfast, type Body, type Holdfast, type HttpTenant } from "./http.js";
import { eventually } from "./record.js";

export const TIMEOUT_MS = 700;

export interface Delivery {
  readonly id: string;
  readonly eventId: string;
  readonly state: string;
  readonly attempts: number;
  readonly lastStatus?: number;
  readonly lastError?: string;
}

export const isDelivered = ({ state }: Delivery): boolean => state === "delivered";

/** On a busy machine a connection to the queue may be lost, and the queue is then made anew before it goes on. */
const PATIENCE_MS = 25_000;

export function soon(condition: () => Promise<unknown>): Promise<void> {
  return eventually(condition, PATIENCE_MS);
}

/** A Holdfast that tells soon, and tries again soon. */
export function startTelling(settings: Readonly<Record<string, string>> = {}): Promise<Holdfast> {
  return startHoldfast({
    HOLDFAST_WEBHOOK_INTERVAL_MS: "200",
    HOLDFAST_WEBHOOK_RETRY_MS: "100",
    HOLDFAST_WEBHOOK_TIMEOUT_MS: String(TIMEOUT_MS),
    ...settings,
  });
}

/** A tenant with one webhook, `a`, that leads to a receiver. */
export class ToldTenant {
  private constructor(
    readonly tenant: HttpTenant,
    readonly receiver: Receiver,
    /** What signs. */
    readonly secret: string,
  ) {}

  static async start(
    holdfast: Holdfast,
    events: readonly string[],
    { receiver, ...fields }: { readonly receiver: Receiver; readonly [field: string]: unknown },
  ): Promise<ToldTenant> {
    const tenant = await holdfast.tenant(fields);
    const { secret } = await putHook(tenant, receiver, events);
    return new ToldTenant(tenant, receiver, secret as string);
  }

  async deliveries(query = ""): Promise<Delivery[]> {
    return (await this.tenant.admin("GET", `/webhooks/a/deliveries${query}`)).body["data"] as Delivery[];
  }

  /** A ping, once it has come so far. */
  async pinged(until: (delivery: Delivery) => boolean): Promise<Delivery> {
    const { body } = await this.tenant.admin("POST", "/webhooks/a/ping");
    const find = async () => (await this.deliveries()).find(({ id }) => id === body.id)!;
    await soon(async () => until(await find()));
    return find();
  }
}

export async function putHook(
  tenant: HttpTenant,
  { url }: Pick<Receiver, "url">,
  events: readonly string[],
  more: object = {},
): Promise<Body> {
  const { status, body } = await tenant.admin("PUT", "/webhooks/a", { url, events, ...more });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body;
}

/** Lets a few looks pass: what there was to tell has been told. */
export async function looks({ record }: Holdfast): Promise<void> {
  const seen = async () => {
    const sql = "SELECT count(*)::int AS n FROM reconcile_runs WHERE task = 'notify'";
    return (await record.query<{ n: number }>(sql)).rows[0]!.n;
  };
  const before = await seen();
  await soon(async () => (await seen()) >= before + 3);
}
