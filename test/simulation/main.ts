import { Simulation, type Result } from "./simulation.js";

const USAGE = "npm run test:simulation -- [--seeds 2000] [--first 1]";

/** Runs seeds one after the other and stops at the first that finds something; its exit code is 1 then. */
async function main(args: readonly string[]): Promise<void> {
  const options = optionsOf(args);
  if (!options) {
    console.error(USAGE);
    process.exitCode = 2;
    return;
  }
  const { seeds, first } = options;
  const started = performance.now();
  const results: Result[] = [];
  for (let seed = first; seed < first + seeds; seed += 1) {
    const result = await new Simulation(seed).run();
    results.push(result);
    if (result.findings.length > 0) {
      console.error(
        `seed ${seed}, step ${result.steps}, virtual millisecond ${result.at}: ${result.findings.join("\n  ")}`,
      );
      process.exitCode = 1;
      break;
    }
  }
  report(results, performance.now() - started);
}

/** null where they are not understood. */
function optionsOf(args: readonly string[]): { seeds: number; first: number } | null {
  const options = { seeds: 2_000, first: 1 };
  for (let i = 0; i < args.length; i += 2) {
    const value = Number(args[i + 1]);
    const name = args[i]?.slice(2);
    if ((name !== "seeds" && name !== "first") || !Number.isSafeInteger(value) || value < 1) return null;
    options[name] = value;
  }
  return options;
}

function report(results: readonly Result[], ms: number): void {
  const sum = (of: (result: Result) => number) => results.reduce((total, result) => total + of(result), 0);
  const faults: Record<string, number> = {};
  for (const result of results) {
    for (const [kind, count] of Object.entries(result.faults)) faults[kind] = (faults[kind] ?? 0) + count;
  }
  const rows: Record<string, number | string> = {
    seeds: results.length,
    steps: sum(({ steps }) => steps),
    commits: sum(({ commits }) => commits),
    "requests (retried)": `${sum(({ counts }) => counts.sent)} (${sum(({ counts }) => counts.retried)})`,
    acknowledged: sum(({ acknowledged }) => acknowledged),
    refused: sum(({ denied }) => denied),
    "without an answer": sum(({ counts }) => counts.unknown),
    admitted: sum(({ admitted }) => admitted),
    "least utilisation": Math.min(1, ...results.map(({ utilisation }) => utilisation)),
    fingerprint: results.reduce((all, { fingerprint }) => Math.imul(all ^ fingerprint, 0x01000193) >>> 0, 0),
    "with a finding": results.filter(({ findings }) => findings.length > 0).length,
    seconds: Math.round(ms / 100) / 10,
  };
  for (const [name, value] of Object.entries(rows)) console.log(`${name.padEnd(26)} ${value}`);
  console.log("\nfaults");
  for (const [kind, count] of Object.entries(faults).sort()) console.log(`  ${kind.padEnd(28)} ${count}`);
}

await main(process.argv.slice(2));
