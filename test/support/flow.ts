import { fresh } from "./commands.js";
import type { Answer, Holdfast, HttpTenant } from "./http.js";

/** The name of a new service with these settings. */
export async function newService(holdfast: Holdfast, settings: object): Promise<string> {
  const name = fresh("svc")
    .toLowerCase()
    .replace(/[^a-z0-9_.-]/g, "-");
  const { status, body } = await holdfast.admin("PUT", `/v1/admin/services/${name}`, settings);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return name;
}

export interface Ask {
  readonly child?: number;
  readonly service?: string;
  readonly cost?: number;
  readonly waitMs?: number;
}

/** What a tenant does with permits, by way of any process. */
export class Starter {
  constructor(
    private readonly holdfast: Holdfast,
    private readonly key: string,
  ) {}

  permit(reservationId: string, { child = 1, ...more }: Ask = {}): Promise<Answer> {
    return this.holdfast.call(this.key, "POST", `/v1/reservations/${reservationId}/permits`, { child, ...more });
  }

  finish(permitId: string, outcome = "succeeded", actual: object = { tokens: 1 }): Promise<Answer> {
    return this.holdfast.call(this.key, "POST", `/v1/permits/${permitId}/finish`, { outcome, actual });
  }

  heartbeat(permitId: string): Promise<Answer> {
    return this.holdfast.call(this.key, "POST", `/v1/permits/${permitId}/heartbeat`);
  }
}

export const starterOf = ({ holdfast, key }: HttpTenant): Starter => new Starter(holdfast, key);

/** A reservation by plan: so many children, attempts each, and tokens an attempt. */
export const planned = (children: number, attempts: number, tokens = 1) => ({
  body: { amounts: undefined, plan: { children, attempts, attemptCost: { tokens } } },
});
