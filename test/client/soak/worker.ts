/** One process of the soak: fans out over its items, and writes down what each attempt used before it is told. */
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Holdfast, NotSettled, type AttemptContext } from "#libs/client";
import { Random } from "../../support/random.js";
import { ATTEMPTS, PLANNED, type Line, type Order } from "./order.js";

const order = JSON.parse(process.argv[2]!) as Order;
const random = new Random(order.seed);

function write(line: Line): void {
  appendFileSync(order.log, `${JSON.stringify(line)}\n`);
}

const fault = (status: number): Error => Object.assign(new Error(`answered ${status}`), { status });

/** What the attempt does, and what it comes to. */
async function work(_: number, { reservationId, index, attempt, use, signal }: AttemptContext): Promise<void> {
  const used = random.int(0, PLANNED);
  const note = (tokens: number): void => write({ kind: "use", reservationId, child: index + 1, attempt, tokens });
  const luck = random.next();
  // Nothing is told before the note is written: a kill between the two leaves a note without a charge, never the reverse.
  if (luck < 0.05) throw (note(PLANNED), new Error("broke, and told nothing"));
  if (luck < 0.1) throw (note(0), fault(429));
  note(used);
  use({ tokens: used });
  if (luck < 0.2) throw fault(500);
  if (luck < 0.25) await sleep(random.int(0, 30), undefined, { signal });
  if (luck < 0.251) await new Promise(() => undefined);
}

const holdfast = new Holdfast({
  baseUrl: order.url,
  apiKey: order.key,
  journal: order.journal,
  timeoutMs: 5_000,
  retries: { baseMs: 5, mostMs: 100 },
});
const abort = new AbortController();
if (order.abortAfterMs !== null) setTimeout(() => abort.abort(new Error("enough")), order.abortAfterMs).unref();

const { told, refused } = await holdfast.replayed;
write({ kind: "replayed", told: [...told], refused: refused.length });
const report = await holdfast.fanOut(
  Array.from({ length: order.items }, (_, i) => i),
  work,
  {
    attemptCost: { tokens: PLANNED },
    attempts: ATTEMPTS,
    concurrency: 50,
    ttlMs: order.ttlMs,
    attemptTimeoutMs: 500,
    graceMs: 50,
    signal: abort.signal,
  },
);
write({
  kind: "end",
  reservationId: report.reservationId,
  tokens: report.cost["tokens"] ?? 0,
  counts: report.counts,
  closed: report.closed ?? null,
  left: report.notSettled instanceof NotSettled,
});
