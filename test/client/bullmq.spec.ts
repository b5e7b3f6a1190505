import { Queue, QueueEvents, Worker, type Job, type JobsOptions } from "bullmq";
import { Denied, Holdfast as Client } from "#libs/client";
import { bookedProcessor, type ProcessorOptions, type QueueContext } from "../../libs/client/adapters/bullmq.js";
import { fresh } from "../support/commands.js";
import { newService } from "../support/flow.js";
import { startHoldfast, type Holdfast, type HttpTenant } from "../support/http.js";
import { redisUrl } from "../support/services.js";

let holdfast: Holdfast;
let tenant: HttpTenant;
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  holdfast = await startHoldfast();
}, 60_000);
beforeEach(async () => {
  tenant = await holdfast.tenant();
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
afterAll(() => holdfast?.stop());

type Work = (job: Job, context: QueueContext) => unknown;

/** A queue of its own with a worker of Holdfast's; what its jobs ended with. */
async function newQueue(work: Work, options: Partial<ProcessorOptions<Job>> = {}, client = clientOf()) {
  const name = fresh("queue");
  // Connections of BullMQ's own, which it closes itself.
  const connection = { url: redisUrl() };
  const [queue, events] = [new Queue(name, { connection }), new QueueEvents(name, { connection })];
  const processor = bookedProcessor(client, work, { attemptCost: { tokens: 100 }, ...options });
  const worker = new Worker(name, processor, { connection, concurrency: 4, drainDelay: 1 });
  closing.push(
    () => worker.close(),
    () => queue.obliterate({ force: true }),
    () => queue.close(),
    () => events.close(),
  );
  await Promise.all([worker.waitUntilReady(), events.waitUntilReady()]);
  const add = async (jobOptions: JobsOptions) => {
    const job = await queue.add("a", {}, { attempts: 3, backoff: { type: "fixed", delay: 20 }, ...jobOptions });
    const outcome: unknown = await job.waitUntilFinished(events, 20_000).catch((error: unknown) => error);
    const { attemptsMade = 0 } = (await queue.getJob(job.id!)) ?? {};
    return { outcome, attemptsMade };
  };
  return { add };
}

function clientOf(): Client {
  return new Client({ baseUrl: holdfast.url, apiKey: tenant.key });
}

/** A queue job at its first attempt, as a worker hands it over. */
function queued(opts: JobsOptions): Job {
  const moveToDelayed = () => Promise.reject(new Error("must not be delayed"));
  return { id: "1", queueQualifiedName: "q", timestamp: 1, attemptsMade: 0, opts, moveToDelayed } as unknown as Job;
}

async function jobs(): Promise<{ state: string }[]> {
  return (await tenant.call("GET", "/v1/jobs")).body["data"] as { state: string }[];
}

describe("a queue worker", () => {
  it("binds all attempts of a queue job to one job and one plan, and settles each", async () => {
    const seen: [number, string, unknown][] = [];
    const { add } = await newQueue(async (_, { attempt, jobId, use }) => {
      seen.push([attempt, jobId, (await tenant.balance()).reserved]);
      use({ tokens: 10 * attempt });
      if (attempt < 3) throw new Error("not yet");
      return "done";
    });
    expect(await add({})).toEqual({ outcome: "done", attemptsMade: 3 });
    expect(seen.map(([attempt, , reserved]) => [attempt, reserved])).toEqual([
      [1, 300],
      [2, 200],
      [3, 100],
    ]);
    expect(new Set(seen.map(([, jobId]) => jobId)).size).toBe(1);
    expect(await jobs()).toMatchObject([{ state: "closed" }]);
    expect(await tenant.balance()).toMatchObject({ spent: 60, reserved: 0 });
    await tenant.expectAtRest();
  });

  it("gives everything back when the queue job has failed for good", async () => {
    const { add } = await newQueue((_, { use }) => {
      use({ tokens: 7 });
      throw new Error("never");
    });
    expect(await add({ attempts: 2 })).toMatchObject({ outcome: { message: "never" }, attemptsMade: 2 });
    expect(await jobs()).toMatchObject([{ state: "closed" }]);
    expect(await tenant.balance()).toMatchObject({ spent: 14, reserved: 0 });
    await tenant.expectAtRest();
  });

  it("fails a queue job that is denied at once and for good, and runs nothing of it", async () => {
    let ran = 0;
    const { add } = await newQueue(() => (ran += 1), { attemptCost: { tokens: 400 } });
    expect(await add({})).toMatchObject({
      outcome: { message: expect.stringContaining("exceeds_limit") },
      attemptsMade: 1,
    });
    const processor = bookedProcessor(clientOf(), () => (ran += 1), { attemptCost: { tokens: 400 } });
    const refused = processor(queued({ attempts: 3 }));
    await expect(refused).rejects.toMatchObject({ name: "UnrecoverableError", cause: expect.any(Denied) });
    expect(ran).toBe(0);
    expect(await tenant.balance()).toMatchObject({ spent: 0, reserved: 0 });
    await tenant.expectAtRest();
  });

  it("delays a queue job while a gateway stands in for the service, as long as it asks for", async () => {
    const gateway = () =>
      Promise.resolve(new Response("<h1>busy</h1>", { status: 503, headers: { "retry-after": "60" } }));
    const client = new Client({ baseUrl: holdfast.url, apiKey: "k", fetch: gateway, retries: { tries: 1 } });
    const delayed: number[] = [];
    const moveToDelayed = (at: number) => Promise.resolve(delayed.push(at - Date.now()));
    const job = { ...queued({ attempts: 1 }), moveToDelayed } as unknown as Job;
    const processor = bookedProcessor(client, () => undefined, { attemptCost: { tokens: 1 } });
    await expect(processor(job)).rejects.toMatchObject({ name: "DelayedError" });
    expect(delayed[0]).toBeGreaterThan(50_000);
  });

  it("gives a queue job that stalled a further attempt of its plan, and none beyond it", async () => {
    const seen: number[] = [];
    const work: Work = (_, { attempt, use }) => {
      seen.push(attempt);
      use({ tokens: 5 });
      throw new Error("its process died");
    };
    // BullMQ counts no attempt of one that stalled: it comes again as it was, maybe to another process.
    const again = queued({ attempts: 2 });
    const runs = [1, 2, 3].map(() => bookedProcessor(clientOf(), work, { attemptCost: { tokens: 100 } }));
    const names: string[] = [];
    for (const run of runs) await run(again).catch((error: unknown) => names.push((error as Error).name));
    expect(seen).toEqual([1, 2]);
    expect(names).toEqual(["Error", "Error", "UnrecoverableError"]);
    expect(await jobs()).toMatchObject([{ state: "closed" }]);
    expect(await tenant.balance()).toMatchObject({ spent: 10, reserved: 0 });
    await tenant.expectAtRest();
  });

  it("delays a queue job while there is no capacity, and counts no attempt of it", async () => {
    const service = await newService(holdfast, { ratePerSecond: 1, burst: 1 });
    const { add } = await newQueue(
      (_, { attempt, use }) => {
        use({ tokens: 1 });
        return attempt;
      },
      { service },
    );
    const results = await Promise.all([add({ attempts: 1 }), add({ attempts: 1 }), add({ attempts: 1 })]);
    expect(results).toEqual([1, 1, 1].map((outcome) => ({ outcome, attemptsMade: 1 })));
    expect(await tenant.balance()).toMatchObject({ spent: 3, reserved: 0 });
    await tenant.expectAtRest();
  });
});
