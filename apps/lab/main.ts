/** `npm run lab`: the baseline experiment, driven through the public API and compared with the pure model. */
import { differencesBetween, runModel } from "#libs/plan";
import { LabError } from "./client.js";
import { runExperiment } from "./experiment.js";
import { type LabOptions, parseOptions, usage } from "./options.js";
import { conclusion, decisionTable, introduction } from "./report.js";
import { startService } from "./service.js";

/** Exit codes: 0 as the model predicts, 1 different or failed, 2 a wrong option, 128 + n ended by signal n. */
const AGREES = 0;
const FAILED = 1;
const WRONG_OPTION = 2;
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

class Interrupted extends Error {
  constructor(readonly exitCode: number) {
    super("interrupted");
  }
}

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const complain = (text: string): void => void process.stderr.write(`${text}\n`);

async function main(args: readonly string[]): Promise<number> {
  const parsed = parseOptions(args);
  if (parsed.kind === "help") {
    print(usage());
    return AGREES;
  }
  if (parsed.kind === "refused") {
    parsed.errors.forEach(complain);
    return WRONG_OPTION;
  }
  const signal = interruption();
  try {
    return await run(parsed.options, signal);
  } catch (error) {
    // Whatever an abort broke on its way, the signal says why.
    if (signal.aborted && signal.reason instanceof Interrupted) return signal.reason.exitCode;
    complain(error instanceof LabError ? error.message : `The lab failed: ${String(error)}`);
    return FAILED;
  }
}

/** Aborts at the first signal, or when nobody reads the output any more; further ones find the clean-up under way. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const [name, exitCode] of Object.entries(SIGNALS)) {
    process.on(name, () => controller.abort(new Interrupted(exitCode)));
  }
  process.stdout.on("error", () => controller.abort(new Interrupted(FAILED)));
  process.stderr.on("error", () => undefined);
  return controller.signal;
}

async function run({ inputs, json, target }: LabOptions, signal: AbortSignal): Promise<number> {
  const model = runModel(inputs);
  if (!json && target === null) print("Starting a Holdfast for this run …");
  const service = target === null ? await startService(signal) : null;
  try {
    const against = target ?? service;
    if (against === null) throw new LabError("there is no Holdfast to run against");
    const table = decisionTable(model);
    if (!json) print(`${introduction(model, against.url)}\n${table.header}`);
    const live = await runExperiment(against, inputs, signal, (decision) => {
      if (!json) print(table.line(decision));
    });
    const differences = differencesBetween(live, model);
    if (json) print(JSON.stringify({ inputs, url: against.url, ...live, model, differences }, null, 2));
    else print(conclusion(live.totals, model.totals, differences));
    return differences.length === 0 ? AGREES : FAILED;
  } finally {
    await service?.stop();
  }
}

process.exitCode = await main(process.argv.slice(2));
