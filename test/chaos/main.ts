import { parseArgs } from "node:util";
import { HEADER, faultLines, row } from "./report.js";
import { run, type Result } from "./run.js";
import { FAULTS, FULL } from "./schedule.js";
import { World, type RedisKind } from "./world.js";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
    seconds: { type: "string", default: "60" },
    runs: { type: "string", default: "1" },
    redis: { type: "string", default: "pair" },
    /** Only faults whose name begins so. */
    fault: { type: "string", default: "" },
  },
});
const SHOWN = 20;
let world: World | undefined;

/** Seeds one after another from the one given; exit code 1 where anything was found. */
async function main(): Promise<number> {
  if (values.redis !== "pair" && values.redis !== "cluster") throw new Error("--redis must be pair or cluster");
  const redis: RedisKind = values.redis;
  const results: Result[] = [];
  const faults = FAULTS[redis].filter(({ name }) => name.startsWith(values.fault));
  console.log(HEADER);
  for (let i = 0; i < Number(values.runs); i += 1) {
    const options = {
      seed: Number(values.seed) + i,
      seconds: Number(values.seconds),
      redis,
      faults,
      pace: FULL,
      rounds: 0,
    };
    const result = await run(options, (world = new World()));
    results.push(result);
    console.log(row(result));
    for (const { kind, what } of result.findings.slice(0, SHOWN)) console.log(`  ${kind}: ${what.slice(0, 2_000)}`);
  }
  console.log(`\n${faultLines(results).join("\n")}`);
  return results.some(({ findings }) => findings.length > 0) ? 1 : 0;
}

let cutOff = false;

/** What is under way fails while its world is stopped, and says nothing more. */
async function cut(): Promise<never> {
  cutOff = true;
  await world?.stop().catch(() => undefined);
  process.exit(1);
}
process.once("SIGINT", () => void cut());
process.once("SIGTERM", () => void cut());

try {
  process.exit(await main());
} catch (error) {
  if (!cutOff) throw error;
}
