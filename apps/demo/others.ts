import { Holdfast } from "#libs/client";
import type { Operator, Tenant } from "./operator.js";
import { HOUR_MS } from "./research.js";

/** Tenants beside the main one: one that only observes, one that is suspended, one with markup for a name, and a crowd. */
export async function makeOthers(operator: Operator, crowd: number): Promise<Tenant[]> {
  const observing = await operator.tenant({
    name: "Borealis",
    enforcement: "observe",
    allowances: { units: { limit: 500 } },
    jobAllowance: { units: 150 },
  });
  await overspend(operator, observing);
  const suspended = await operator.tenant({
    name: "Cedar Labs",
    allowances: { calls: { limit: 10_000, period: "hour" } },
  });
  await operator.call("POST", `/tenants/${suspended.id}/suspend`, { reason: "The trial has ended." });
  const odd = await operator.tenant({
    name: `Delta & <img src=x onerror="document.title='run'"> Sons`,
    allowances: { usd_micros: { limit: "unlimited" } },
  });
  const named = [observing, suspended, odd];
  for (let number = 1; number <= crowd; number += 1) {
    const name = `Tenant ${String(number).padStart(4, "0")}`;
    named.push(await operator.tenant({ name, allowances: { tokens: { limit: 1_000 * number } } }));
  }
  return named;
}

/** The lab's baseline under observe: six jobs of 120 against 500. */
async function overspend(operator: Operator, tenant: Tenant): Promise<void> {
  const holdfast = new Holdfast({ baseUrl: operator.url, apiKey: tenant.key });
  const plan = { children: 3, attempts: 2, attemptCost: { units: 20 } };
  for (let number = 1; number <= 6; number += 1) {
    const job = await holdfast.openJob({ name: `Batch ${number}` });
    const { id } = await holdfast.reservations.reserve(job.id, { plan, ttlMs: HOUR_MS });
    if (number <= 4) await holdfast.reservations.settle(id, { units: 120 });
  }
}
