import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Holdfast } from "#libs/client";
import { HttpProxy, type Fate } from "../../support/http-proxy.js";
import { Random } from "../../support/random.js";
import { findingsOf } from "./audit.js";
import type { Line, Order } from "./order.js";

export interface SoakOptions {
  /** Items in all that are to end done or failed: those of killed and aborted processes come on top. */
  readonly items: number;
  /** Items of one process. */
  readonly itemsPerProcess: number;
  /** Processes at once. */
  readonly lanes: number;
  /** What a killed process held returns after so long, milliseconds. */
  readonly ttlMs: number;
  readonly seed: number;
}

export interface Soaked {
  readonly findings: readonly string[];
  readonly processes: number;
  readonly killed: number;
  readonly aborted: number;
  readonly requests: number;
  readonly spent: number;
  readonly attempts: number;
  /** Items by their ends, of the processes that came to theirs. */
  readonly counts: Readonly<Record<string, number>>;
  /** Processes that left something in their journal. */
  readonly journalled: number;
}

const QUIET_MS = 60_000;

/** Specs run from the tree, the program from dist/; what is spawned is always in dist/. */
const root = new URL("../../../", import.meta.url);
const worker = fileURLToPath(
  new URL(root.pathname.endsWith("/dist/") ? "test/client/soak/worker.js" : "dist/test/client/soak/worker.js", root),
);

/**
 * Runs so many items through processes that throw, hang, abort and are killed, by way of a network that drops, loses, delays
 * and doubles requests; then, once all is quiet, holds what the service booked against what the processes wrote down.
 */
export async function soak(target: { url: string; key: string }, options: SoakOptions): Promise<Soaked> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-soak-"));
  const random = new Random(options.seed);
  const proxy = await HttpProxy.start(target.url, () => fateBy(random));
  try {
    const run = new Lanes({ url: proxy.url, key: target.key, folder }, random, options);
    await Promise.all(Array.from({ length: options.lanes }, (_, lane) => run.work(lane)));
    const holdfast = new Holdfast({ baseUrl: target.url, apiKey: target.key });
    const refused = await tellTheRest(target, run.journals);
    const spent = await quiet(holdfast);
    const lines = run.logs.flatMap(linesOf);
    return {
      findings: [...refused, ...(await findingsOf(holdfast, lines, spent))],
      processes: run.logs.length,
      killed: run.killed,
      aborted: run.aborted,
      requests: proxy.seen.length,
      spent,
      counts: countsOf(lines),
      attempts: lines.filter(({ kind }) => kind === "use").length,
      journalled: lines.filter((line) => line.kind === "end" && line.closed === "journalled").length,
    };
  } finally {
    await proxy.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function fateBy(random: Random): Fate {
  const luck = random.next();
  const [drop, lose, twice, slow, fail] = [0.02, 0.04, 0.06, 0.09, 0.11];
  if (luck < drop) return "drop";
  if (luck < lose) return "lose";
  if (luck < twice) return "twice";
  if (luck < slow) return "slow";
  return luck < fail ? "fail" : "pass";
}

/** Processes one after the other in each of several lanes. */
class Lanes {
  readonly logs: string[] = [];
  readonly journals: string[];
  killed = 0;
  aborted = 0;
  private left: number;

  constructor(
    private readonly to: { readonly url: string; readonly key: string; readonly folder: string },
    private readonly random: Random,
    private readonly options: SoakOptions,
  ) {
    this.left = options.items;
    this.journals = Array.from({ length: options.lanes }, (_, lane) => join(to.folder, `journal-${lane}`));
  }

  async work(lane: number): Promise<void> {
    // On a quick machine all items may have ended before anybody was killed or aborted, which would show nothing.
    while (this.left > 0 || Math.min(this.killed, this.aborted) === 0) {
      const log = await this.runOne(lane, this.options.itemsPerProcess);
      const { done = 0, failed = 0 } = countsOf(linesOf(log));
      this.left -= done + failed;
    }
  }

  private async runOne(lane: number, items: number): Promise<string> {
    const { url, key, folder } = this.to;
    const log = join(folder, `log-${this.logs.length}`);
    this.logs.push(log);
    // At about the rate of a busy machine, so that it falls into the work as a rule.
    const somewhere = this.random.int(300, 1_000 + items * 4);
    const luck = this.random.next();
    const order: Order = {
      ...{ url, key, items, log, journal: this.journals[lane]!, ttlMs: this.options.ttlMs },
      seed: this.random.int(0, 2 ** 31),
      abortAfterMs: luck < 0.2 ? somewhere : null,
    };
    const child = spawn(process.execPath, [worker, JSON.stringify(order)], { stdio: ["ignore", "ignore", "inherit"] });
    const kill = luck > 0.7 ? setTimeout(() => child.kill("SIGKILL"), somewhere) : undefined;
    const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
    clearTimeout(kill);
    if (signal === "SIGKILL") this.killed += 1;
    else if (code !== 0)
      throw new Error(`a process of the soak ended with ${code ?? signal}; seed ${this.options.seed}`);
    if (order.abortAfterMs !== null) this.aborted += 1;
    return log;
  }
}

/** What the journals still hold is told by the next start. */
async function tellTheRest({ url, key }: { url: string; key: string }, journals: readonly string[]): Promise<string[]> {
  const refused: string[] = [];
  for (const journal of journals) {
    const replayed = await new Holdfast({ baseUrl: url, apiKey: key, journal }).replayed;
    for (const { closing, error } of [...replayed.refused, ...replayed.kept])
      refused.push(`${closing.reservationId} could not be told: ${String(error)}`);
  }
  return refused;
}

/** What is spent once nothing is held any more. */
async function quiet(holdfast: Holdfast): Promise<number> {
  const endsAt = performance.now() + QUIET_MS;
  for (;;) {
    const { data } = await holdfast.balances({ scope: "tenant" });
    const balance = data.find(({ unit }) => unit === "tokens")!;
    if (balance.reserved === 0) return balance.spent;
    if (performance.now() > endsAt) throw new Error(`${balance.reserved} tokens are still held`);
    await sleep(200);
  }
}

function countsOf(lines: readonly Line[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const line of lines)
    if (line.kind === "end")
      for (const [status, count] of Object.entries(line.counts)) sums[status] = (sums[status] ?? 0) + count;
  return sums;
}

/** A line that a kill cut off was not written: what it would have said did not happen. */
function linesOf(log: string): Line[] {
  if (!existsSync(log)) return [];
  const whole = readFileSync(log, "utf8").split("\n").slice(0, -1);
  return whole.map((line) => JSON.parse(line) as Line);
}
