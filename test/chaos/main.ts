import { choicesOf, USAGE, type Choices } from "./choices.js";
import { HEADER, faultLines, row } from "./report.js";
import { run, type Result } from "./run.js";
import { FAULTS, FULL } from "./schedule.js";
import { World } from "./world.js";

const SHOWN = 20;
let world: World | undefined;

/** Seeds one after another from the one given; exit code 1 where anything was found. */
async function main({ seed, seconds, runs, redis, fault }: Choices): Promise<number> {
  const results: Result[] = [];
  const faults = FAULTS[redis].filter(({ name }) => name.startsWith(fault));
  console.log(HEADER);
  for (let i = 0; i < runs; i += 1) {
    const options = { seed: seed + i, seconds, redis, faults, pace: FULL, rounds: 0 };
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

const choices = choicesOf(process.argv.slice(2));
if (!choices) {
  console.error(USAGE);
  process.exit(2);
}
try {
  process.exit(await main(choices));
} catch (error) {
  if (!cutOff) throw error;
}
