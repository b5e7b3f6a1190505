/**
 * A worker of a BullMQ queue: all attempts of a queue job are bound to one Holdfast job and one plan, in whichever process they
 * run. A job that fails is retried by the queue, and never beyond its plan.
 *
 *   npm run example:queue -- --admin-key KEY [--url URL] [--size 60] [--redis redis://127.0.0.1:6379]
 */
import { randomUUID } from "node:crypto";
import { Queue, Worker } from "bullmq";
import { settlementOf } from "#libs/client"; // in your project: "@holdfast/client"
import { bookedProcessor } from "../libs/client/adapters/bullmq.js"; // in your project: "@holdfast/client/adapters/bullmq"
import { amountsOf, askModel, CALL } from "./common/model.js";
import { readOptions } from "./common/options.js";
import { printTable, ProgressBar } from "./common/screen.js";
import { balanceOf, newTenant } from "./common/tenant.js";

const ATTEMPTS = 3;

const options = readOptions(60);
const holdfast = await newTenant(options, "example: queue", {
  allowances: {
    tokens: { limit: options.size * ATTEMPTS * CALL["tokens"]! },
    usd_micros: { limit: options.size * ATTEMPTS * CALL["usd_micros"]! },
  },
});

const connection = { url: options.redis };
const name = `example-${randomUUID()}`;
const queue = new Queue<{ account: string }>(name, { connection });
const worker = new Worker<{ account: string }, string>(
  name,
  bookedProcessor(
    holdfast,
    async ({ data }, { signal, planned, use }) => {
      const answer = await askModel(data.account, signal);
      use(settlementOf(answer, { planned, amounts: amountsOf }).actual);
      return answer.text;
    },
    { attemptCost: CALL },
  ),
  { connection, concurrency: 10, autorun: false },
);

const bar = new ProgressBar("queue jobs");
const ends = { completed: { jobs: 0, attempts: 0 }, failed: { jobs: 0, attempts: 0 } };
const allEnded = new Promise<void>((resolve) => {
  const end = (as: keyof typeof ends, attempts: number): void => {
    ends[as].jobs += 1;
    ends[as].attempts += attempts;
    const ended = ends.completed.jobs + ends.failed.jobs;
    bar.show(ended, options.size);
    if (ended === options.size) resolve();
  };
  worker.on("completed", (job) => end("completed", job.attemptsMade));
  worker.on("failed", (job) => {
    // It is told of every attempt that fails; what has a time of its end has failed for good.
    if (job?.finishedOn !== undefined) end("failed", job.attemptsMade);
  });
});

const jobOptions = { attempts: ATTEMPTS, backoff: { type: "fixed", delay: 50 } };
await queue.addBulk(
  Array.from({ length: options.size }, (_, i) => ({
    name: "enrich",
    data: { account: `account ${i + 1}` },
    opts: jobOptions,
  })),
);
void worker.run();
await allEnded;
bar.end();
await worker.close();
await queue.obliterate({ force: true });
await queue.close();

printTable(Object.entries(ends).map(([end, counts]) => ({ end, ...counts })));
console.log(await balanceOf(holdfast, "usd_micros"));
