/** A tenant with all that can be seen at one: child jobs, attempts, denials, permits, a late settle. */
import { setTimeout as sleep } from "node:timers/promises";
import { Denied, Holdfast, Shed, type Job } from "#libs/client";
import { DemoError, type Operator, type Tenant } from "./operator.js";
import { MODEL, SEARCH } from "./services.js";

/** What is held must be seen for as long as anybody looks at the demo. */
export const HOUR_MS = 3_600_000;
/** Reservations expire at the latest one sweep after their deadline. */
const EXPIRED_WITHIN_MS = 30_000;
const POLL_MS = 200;

export async function makeResearch(operator: Operator): Promise<Tenant> {
  const tenant = await operator.tenant({
    name: "Acme Research",
    allowances: { tokens: { limit: 100_000, period: "day" }, usd_micros: { limit: 5_000_000, period: "month" } },
    jobAllowance: { tokens: 30_000 },
    userAllowance: { tokens: 60_000 },
  });
  const holdfast = new Holdfast({ baseUrl: operator.url, apiKey: tenant.key });
  const expiring = await settleLater(holdfast);
  await enrich(holdfast);
  await spawnAgents(holdfast);
  await refuse(holdfast);
  await settleLate(holdfast, expiring);
  await operator.call("POST", `/tenants/${tenant.id}/allowances/tokens/adjust`, {
    delta: 20_000,
    reason: "More for the launch week",
  });
  return tenant;
}

/** Four children with up to three attempts each: failures, successes, and one that still runs. */
async function enrich(holdfast: Holdfast): Promise<void> {
  const job = await holdfast.openJob({ name: "Enrich 4 accounts", user: "ada", labels: { team: "sales" } });
  const plan = { children: 4, attempts: 3, attemptCost: { tokens: 800, usd_micros: 2_400 } };
  const { id } = await holdfast.reservations.reserve(job.id, { plan, service: MODEL, ttlMs: HOUR_MS });
  const outcomes = [[true], [false, true], [false, false, true]];
  for (const [index, attempts] of outcomes.entries()) {
    for (const succeeded of attempts) {
      const permit = await holdfast.reservations.permit(id, { child: index + 1, service: MODEL, waitMs: 2_000 });
      await holdfast.permits.finish(permit.id, {
        outcome: succeeded ? "succeeded" : "rejected",
        actual: { tokens: 500 + 60 * index, usd_micros: 1_500 },
      });
    }
  }
  await holdfast.reservations.permit(id, { child: 4, service: MODEL });
}

/** An agent that grants parts of its allowance to two others, one of which has ended. */
async function spawnAgents(holdfast: Holdfast): Promise<void> {
  const agent = await holdfast.openJob({ name: "Market study", user: "grace", allowance: { tokens: 20_000 } });
  const reader = await child(holdfast, agent, "Read sources", 8_000);
  const writer = await child(holdfast, agent, "Write the report", 6_000);
  await child(holdfast, writer, "Draw the charts", 2_000);
  const { id } = await holdfast.reservations.reserve(reader, { amounts: { tokens: 5_000 } });
  await holdfast.reservations.settle(id, { tokens: 4_100 });
  await holdfast.jobs.close(reader);
  await holdfast.reservations.reserve(writer, { amounts: { tokens: 3_000 }, ttlMs: HOUR_MS });
}

async function child(holdfast: Holdfast, parent: Job | string, name: string, tokens: number): Promise<string> {
  const parentJobId = typeof parent === "string" ? parent : parent.id;
  return (await holdfast.jobs.create({ name, parentJobId, grant: { tokens } })).id;
}

/** Three denials, and what the open breaker sheds. */
async function refuse(holdfast: Holdfast): Promise<void> {
  const job = await holdfast.openJob({ name: "Runaway loop", user: "ada" });
  const plan = { children: 40, attempts: 5, attemptCost: { tokens: 900 } };
  for (let round = 1; round <= 3; round += 1) {
    await expected(Denied, holdfast.reservations.reserve(job.id, { plan }));
  }
  const small = { children: 5, attempts: 2, attemptCost: { tokens: 10 } };
  const { id } = await holdfast.reservations.reserve(job.id, { plan: small, ttlMs: HOUR_MS });
  const once = { retries: { tries: 1 } };
  for (let round = 1; round <= 5; round += 1) {
    await expected(Shed, holdfast.reservations.permit(id, { child: round, service: SEARCH }, once));
  }
  await holdfast.jobs.cancel(job.id);
}

async function settleLater(holdfast: Holdfast): Promise<string> {
  const job = await holdfast.openJob({ name: "Lost worker", user: "linus" });
  return (await holdfast.reservations.reserve(job.id, { amounts: { tokens: 1_200 }, ttlMs: 1_000 })).id;
}

async function settleLate(holdfast: Holdfast, reservationId: string): Promise<void> {
  for (let waited = 0; (await holdfast.reservations.get(reservationId)).state !== "expired"; waited += POLL_MS) {
    if (waited > EXPIRED_WITHIN_MS) throw new DemoError("nothing expires: does a reconciler run?");
    await sleep(POLL_MS);
  }
  await holdfast.reservations.settle(reservationId, { tokens: 1_350 });
}

async function expected(kind: abstract new (...args: never[]) => Error, asked: Promise<unknown>): Promise<void> {
  const error = await asked.then(
    () => new DemoError(`was let through, and should have been refused as ${kind.name}`),
    (refusal: unknown) => refusal,
  );
  if (!(error instanceof kind)) throw error;
}
