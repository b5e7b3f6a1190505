import { setTimeout as sleep } from "node:timers/promises";
import { fetch } from "undici";
import type { Answer, HttpTenant } from "../support/http.js";
import type { FlowReplicas } from "../support/flow-replicas.js";
import { planned } from "../support/flow.js";
import type { StubService } from "../support/stub-service.js";
import type { Client } from "./client.js";
import { ATTEMPTS, USED, type Scale } from "./scale.js";

/** Longer than any run, and as long as a queue of 320 takes at ten a second. */
const TTL_MS = 1_800_000;
export const WAIT_MS = 60_000;
/** Tokens of a tenant: more than any plan here. */
const LIMIT = 1_000_000;

/** Where a tenant works. */
export interface Place {
  readonly replicas: FlowReplicas;
  /** The service as Holdfast knows it, and as it is. */
  readonly service: string;
  readonly stub: StubService;
}

/** A tenant that reserves its plan first and starts each attempt through a permit. */
export class GovernedClient implements Client {
  private constructor(
    private readonly place: Place,
    private readonly callsEach: number,
    private readonly tenant: HttpTenant,
    private readonly reservationId: string,
    /** Tokens that the plan held before anything started. */
    readonly plannedTokens: number,
  ) {}

  static async open(place: Place, accounts: number, { callsEach }: Scale): Promise<GovernedClient> {
    const tenant = await place.replicas.at(0).tenant({ allowances: { tokens: { limit: LIMIT } } });
    const ask = planned(accounts * callsEach, ATTEMPTS, USED.succeeded);
    const id = await tenant.openReservation({ ...ask, ttlMs: TTL_MS });
    const { reserved } = await tenant.balance();
    return new GovernedClient(place, callsEach, tenant, id, reserved);
  }

  async call(account: number, call: number): Promise<boolean> {
    const { replicas, service, stub } = this.place;
    const starter = replicas.starters(this.tenant)(account);
    const child = account * this.callsEach + call;
    for (;;) {
      const permit = await starter.permit(this.reservationId, { child, service, waitMs: WAIT_MS });
      if (permit.status === 409) return false;
      if (permit.status !== 201) {
        // Not at once all together: else who failed last comes first, and spends its attempts on an outage.
        await sleep(retryAfterMs(permit) * (1 + Math.random()));
        continue;
      }
      const { status, body } = await fetch(stub.url);
      await body?.cancel();
      const outcome = status === 200 ? "succeeded" : "overloaded";
      const tokens = status === 200 ? USED.succeeded : USED.failed;
      must(await starter.finish(permit.body.id, outcome, { tokens }), 200);
      if (status === 200) return true;
    }
  }

  /** Closes the reservation. Tokens as the tenant's balance says. */
  async settle(): Promise<{ readonly reserved: number; readonly spent: number }> {
    must(await this.tenant.settle(this.reservationId, 0), 200);
    return this.tenant.balance();
  }
}

/** A refusal for lack of capacity says when to come again; any other is a fault of the story. */
function retryAfterMs(answer: Answer): number {
  if (answer.status !== 429) must(answer, 503);
  return Number(answer.headers.get("retry-after")) * 1_000;
}

function must({ status, body }: Answer, wanted: number): void {
  if (status !== wanted) throw new Error(JSON.stringify(body));
}
