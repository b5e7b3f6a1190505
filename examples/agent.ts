/**
 * An agent that spawns sub-agents, each with a grant that is carved out of its own: whatever they decide to do, the whole tree
 * cannot spend more than the first grant. What an agent does not spend goes back to the one that spawned it.
 *
 *   npm run example:agent -- --admin-key KEY [--url URL] [--size 13]
 */
import { Denied, type Job, settlementOf } from "#libs/client"; // in your project: "@holdfast/client"
import { amountsOf, askModel, CALL } from "./common/model.js";
import { readOptions } from "./common/options.js";
import { printTable, ProgressBar } from "./common/screen.js";
import { balanceOf, newTenant } from "./common/tenant.js";

/** Sub-agents that an agent would like to spawn, and calls that each one would like to make for itself. */
const [SPAWNS, CALLS] = [3, 4];
/** An agent keeps a third of its grant and divides the rest. */
const SHARE = 2 / (3 * SPAWNS);

const options = readOptions(13);
const grant = scaled(CALL, options.size * CALLS);
const holdfast = await newTenant(options, "example: agent", {
  allowances: { tokens: { limit: grant["tokens"]! }, usd_micros: { limit: grant["usd_micros"]! } },
});

const bar = new ProgressBar("agents");
const rows: Record<string, string | number>[] = [];
let spawned = 0;
let ended = 0;

/** Spawns, works until its calls are made or its grant refuses, and waits for what it spawned. */
async function work(job: Job, name: string, own: Readonly<Record<string, number>>): Promise<void> {
  const children: Promise<void>[] = [];
  let calls = 0;
  let stoppedBy = "its own end";
  try {
    const share = scaled(own, SHARE);
    for (let i = 1; i <= SPAWNS && spawned < options.size && pays(share); i += 1) {
      spawned += 1;
      children.push(work(await job.child(share), `${name}.${i}`, share));
    }
    for (; calls < CALLS; calls += 1) await call(job, name);
  } catch (error) {
    if (!(error instanceof Denied)) throw error;
    stoppedBy = "its grant";
  } finally {
    await Promise.all(children);
  }
  const { balances } = await job.get();
  const spent = balances.find(({ unit }) => unit === "usd_micros")!.spent;
  rows.push({ agent: name, grant: own["usd_micros"]!, "spent by its tree": spent, calls, "stopped by": stoppedBy });
  await job.close();
  bar.show((ended += 1), options.size, `${spent} usd_micros`);
}

/** One call of the model; a busy one used nothing, and the agent goes on. */
async function call(job: Job, prompt: string): Promise<void> {
  await job
    .withReservation(CALL, async ({ signal, planned, use }) => {
      use(settlementOf(await askModel(prompt, signal), { planned, amounts: amountsOf }).actual);
    })
    .catch((error: unknown) => {
      if ((error as { status?: unknown }).status !== 503) throw error;
    });
}

function scaled(amounts: Readonly<Record<string, number>>, factor: number): Record<string, number> {
  return Object.fromEntries(Object.entries(amounts).map(([unit, amount]) => [unit, Math.floor(amount * factor)]));
}

function pays(share: Readonly<Record<string, number>>): boolean {
  return Object.entries(CALL).every(([unit, amount]) => share[unit]! >= amount);
}

spawned = 1;
await work(await holdfast.openJob({ allowance: grant }), "agent", grant);
bar.end();
printTable(rows.sort((a, b) => String(a["agent"]).localeCompare(String(b["agent"]))));
console.log(await balanceOf(holdfast, "usd_micros"));
