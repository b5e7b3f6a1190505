/**
 * How much a plan keeps from others: what is held and spent, over what its job really uses in the end, averaged over the
 * time of the run. The same seeded run twice, decided by the ledger's own rules: settled once at the end, and charged
 * attempt by attempt. `--seed`, `--children`, `--attempts`, `--failures` (percent), `--at-once`.
 */
import { parseArgs } from "node:util";
import { decide, type Command, type Outcome } from "#libs/ledger";
import { Random } from "../support/random.js";
import { bookOf } from "../support/book.js";
import { commandsOf, plan } from "../support/commands.js";

const ATTEMPT_COST = 1_000;

interface Run {
  readonly children: number;
  readonly attempts: number;
  readonly failures: number;
  readonly atOnce: number;
  readonly seed: number;
}

interface Attempt {
  readonly child: number;
  readonly attempt: number;
  readonly actual: number;
  readonly outcome: "succeeded" | "failed";
  /** Virtual time, ms. */
  readonly endsAt: number;
}

/** The attempts of all children, in the order in which they end: so many run at once, each for 0.5 to 4 s. */
function attemptsOf({ children, attempts, failures, atOnce, seed }: Run): Attempt[] {
  const random = new Random(seed);
  const freeAt: number[] = Array.from({ length: atOnce }, () => 0);
  const all: Attempt[] = [];
  for (let child = 1; child <= children; child += 1) {
    freeAt.sort((a, b) => a - b);
    let now = freeAt.shift()!;
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      now += random.int(500, 4_000);
      const outcome = random.chance(failures / 100) ? "failed" : "succeeded";
      // An attempt uses 30 to 90 % of what is planned for it.
      all.push({ child, attempt, outcome, actual: random.int(300, 900), endsAt: now });
      if (outcome === "succeeded") break;
    }
    freeAt.push(now);
  }
  return all.sort((a, b) => a.endsAt - b.endsAt);
}

interface Measured {
  readonly atStart: number;
  readonly averaged: number;
  readonly inTheMiddle: number;
}

function measure(run: Run, all: readonly Attempt[], charged: boolean): Measured {
  const book = bookOf({ allowances: { tokens: null } });
  const commands = commandsOf(book.tenantId);
  const must = (command: Command, now: number): Extract<Outcome, { type: "done" }>["answer"] => {
    const outcome = decide(book, command, now);
    if (outcome.type === "refused") throw new Error(outcome.refusal.detail);
    return outcome.answer;
  };
  const { id: jobId } = must(commands.createJob(), 0) as { id: string };
  const ask = plan(run.children, run.attempts, ATTEMPT_COST);
  const { id } = must(commands.reserve(jobId, ask, { ttlMs: 2_592_000_000 }), 0) as { id: string };
  const used = all.reduce((sum, { actual }) => sum + actual, 0);
  const taken = () => {
    const { reserved, spent } = [...book.balances.rows.values()].find((row) => row?.scope.kind === "job")!;
    return (reserved + spent) / used;
  };
  const end = all.at(-1)!.endsAt;
  const atStart = taken();
  let [area, last, inTheMiddle] = [0, 0, atStart];
  for (const { child, attempt, actual, outcome, endsAt } of all) {
    area += taken() * (endsAt - last);
    last = endsAt;
    if (charged) must(commands.charge(id, [child, attempt], actual, outcome), endsAt);
    if (endsAt <= end / 2) inTheMiddle = taken();
  }
  must(commands.settle(id, charged ? 0 : used), end);
  if (taken() !== 1) throw new Error("what was used is not what was spent");
  return { atStart, averaged: area / end, inTheMiddle };
}

function main(): void {
  const { values } = parseArgs({
    options: {
      seed: { type: "string", default: "1" },
      children: { type: "string", default: "400" },
      attempts: { type: "string", default: "3" },
      failures: { type: "string", default: "10" },
      "at-once": { type: "string", default: "40" },
    },
  });
  const run: Run = {
    seed: Number(values.seed),
    children: Number(values.children),
    attempts: Number(values.attempts),
    failures: Number(values.failures),
    atOnce: Number(values["at-once"]),
  };
  const all = attemptsOf(run);
  const line = (name: string, columns: readonly string[]) =>
    console.log(name.padEnd(20) + columns.map((column) => column.padStart(14)).join(""));
  const shown = (name: string, { atStart, inTheMiddle, averaged }: Measured) =>
    line(
      name,
      [atStart, inTheMiddle, averaged].map((factor) => factor.toFixed(2)),
    );
  const { children, attempts, failures, atOnce, seed } = run;
  console.log(`${children} children × ${attempts} attempts, ${atOnce} at once, ${failures} % of the attempts fail`);
  console.log(`${all.length} attempts made, seed ${seed}`);
  line("taken ÷ used", ["at the start", "in the middle", "averaged"]);
  shown("settled at the end", measure(run, all, false));
  shown("charged", measure(run, all, true));
}

main();
