/**
 * The story at its full size, some four minutes: 400 accounts × 4 calls of a service of ten a second that breaks for 20 s,
 * with Holdfast and without. `--small` tells it within half a minute.
 */
import { parseArgs } from "node:util";
import { goalLine, type Goal } from "../bench/report.js";
import { FlowReplicas } from "../support/flow-replicas.js";
import { figuresOf, mostWhileBroken, table } from "./figures.js";
import { FULL, SMALL, type Scale } from "./scale.js";
import { tell, type Story } from "./story.js";

/** Callers that wait keep a connection each. */
const CONNECTIONS = 1_000;

const { values } = parseArgs({ options: { small: { type: "boolean", default: false } } });

function goals({ governed, spend }: Story, scale: Scale): Goal[] {
  const figures = figuresOf(governed, scale);
  const most = (name: string, reached: number, wanted: number): Goal => ({ name, reached, wanted, least: false });
  return [
    most("requests in one second", figures.busiestSecond, scale.perSecond),
    most("429 after the first second", figures.refusedAfterFirstSecond, 0),
    most("time over the ideal", figures.wholeMs / figures.idealMs, 1.15),
    most("calls while it was broken", figures.whileBroken, mostWhileBroken(scale)),
    most("calls given up", figures.givenUp, 0),
    most("tokens settled and not used, or used and not settled", Math.abs(spend.spent - figures.used), 0),
    most("tokens still held", spend.reserved, 0),
    most("modest tenant's time over its time alone", figures.slowed, 1.5),
    most("the same before the outage", figures.slowedBefore, 1.5),
  ];
}

/** Services of its own, as the tests have them. */
async function withServices<T>(run: () => Promise<T>): Promise<T> {
  const support = new URL("../../../test/support/", import.meta.url);
  const { default: start } = (await import(new URL("services-start.mjs", support).href)) as Step;
  const { default: stop } = (await import(new URL("services-stop.mjs", support).href)) as Step;
  await start();
  try {
    return await run();
  } finally {
    await stop();
  }
}
type Step = { default(): Promise<void> };

async function main(): Promise<void> {
  const scale = values.small ? SMALL : FULL;
  const { greedy, modest, callsEach, perSecond, brokenAtMs, brokenMs } = scale;
  const outage = `broken from ${brokenAtMs / 1_000} s on for ${brokenMs / 1_000} s`;
  console.log(`${greedy + modest.accounts} accounts × ${callsEach} calls, ${perSecond} a second, ${outage}\n`);
  const replicas = await FlowReplicas.start({ connections: CONNECTIONS });
  try {
    const story = await tell(replicas, scale);
    console.log(`${table(story, scale).join("\n")}\n`);
    console.log(goals(story, scale).map(goalLine).join("\n"));
  } finally {
    await replicas.stop();
  }
}

await withServices(main);
