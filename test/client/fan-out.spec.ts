import { setTimeout as sleep } from "node:timers/promises";
import {
  AllowanceExhausted,
  AttemptsExhausted,
  BreakerOpen,
  Holdfast as Client,
  JobNotOpen,
  ServiceUnknown,
  type FanOutOptions,
  type ItemResult,
  type Progress,
  type Worker,
} from "#libs/client";
import { newService } from "../support/flow.js";
import { HttpProxy } from "../support/http-proxy.js";
import { startHoldfast, type Holdfast, type HttpTenant } from "../support/http.js";

let holdfast: Holdfast;
let proxy: HttpProxy;

beforeAll(async () => {
  holdfast = await startHoldfast({ HOLDFAST_RETRY_RATIO: "off", HOLDFAST_PERMIT_LEASE_MS: "1000" });
  proxy = await HttpProxy.start(holdfast.url);
}, 60_000);
beforeEach(() => {
  proxy.set(() => "pass");
  proxy.seen.length = 0;
});
afterAll(async () => {
  await proxy?.stop();
  await holdfast?.stop();
});

const clientOf = ({ key }: HttpTenant): Client =>
  new Client({ baseUrl: proxy.url, apiKey: key, retries: { baseMs: 1, mostMs: 20 } });
const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
const COST = { attemptCost: { tokens: 10 } };
const statuses = (results: readonly ItemResult<unknown, unknown>[]): string[] => results.map(({ status }) => status);

/** Runs it over so many items of a tenant with 1 000 tokens, and sees that nothing is left behind. */
async function run<R>(count: number, worker: Worker<number, R>, options: Partial<FanOutOptions> = {}) {
  const tenant = await holdfast.tenant();
  const report = await clientOf(tenant).fanOut(numbers(count), worker, { ...COST, ...options });
  const { spent, reserved } = await tenant.balance();
  expect(reserved).toBe(0);
  expect(report.cost["tokens"] ?? 0).toBe(spent);
  expect(report.results.map(({ index, item }) => [index, item])).toEqual(numbers(count).map((i) => [i, i]));
  await tenant.expectAtRest();
  return { tenant, report, spent };
}

/** Work that goes on once so many have been at work at the same time. */
class Meeting {
  most = 0;
  private running = 0;

  constructor(private readonly wanted: number) {}

  async attend(): Promise<void> {
    this.most = Math.max(this.most, (this.running += 1));
    do await sleep(5);
    while (this.most < this.wanted);
    this.running -= 1;
  }
}

describe("every item has its end", () => {
  it("done: at most so many run at once, each is settled as it told, and the job made for it is closed", async () => {
    const meeting = new Meeting(4);
    const worker: Worker<number, number> = async (item, { use }) => {
      await meeting.attend();
      use({ tokens: item });
      return item * 2;
    };
    const { report, spent, tenant } = await run(20, worker, { concurrency: 4, attemptCost: { tokens: 30 } });
    expect(report.results.map((result) => result.status === "done" && result.value)).toEqual(
      numbers(20).map((i) => i * 2),
    );
    expect(meeting.most).toBe(4);
    expect(spent).toBe(190);
    expect(report).toMatchObject({ closed: "settled", counts: { done: 20 }, denial: undefined, notSettled: undefined });
    expect((await tenant.call("GET", `/v1/jobs/${report.jobId}`)).body.state).toBe("closed");
  });

  it("failed: retried within the plan, every attempt's cost counted", async () => {
    const worker: Worker<number, number> = (item, { attempt, use }) => {
      use({ tokens: 2 });
      if (attempt <= item) throw new Error(`attempt ${attempt}`);
      return attempt;
    };
    const { report } = await run(3, worker, { attempts: 2 });
    expect(report.results).toMatchObject([
      { status: "done", value: 1, attempts: 1, cost: { tokens: 2 } },
      { status: "done", value: 2, attempts: 2, cost: { tokens: 4 } },
      { status: "failed", attempts: 2, cost: { tokens: 4 }, error: { message: "attempt 2" } },
    ]);
    expect(report.counts).toEqual({ done: 2, failed: 1, denied: 0, shed: 0, cancelled: 0 });
  });

  it("failed at once where the service calls it the caller's own fault, or `retry` says no", async () => {
    const worker: Worker<number, never> = (item) => {
      throw item === 0 ? Object.assign(new Error("too long"), { status: 400 }) : new Error("broke");
    };
    const { report } = await run(2, worker, { attempts: 3, retry: (_, attempt) => attempt < 2 });
    expect(report.results).toMatchObject([{ attempts: 2 }, { attempts: 2 }]);
    const byDefault = await run(1, worker, { attempts: 3 });
    expect(byDefault.report.results).toMatchObject([{ attempts: 1, cost: { tokens: 0 }, estimated: false }]);
  });

  it("denied: all of them where the plan does not fit, with the figures, asked once, nothing started", async () => {
    const { report } = await run(101, () => fail(), { admit: "all" });
    expect(new Set(statuses(report.results))).toEqual(new Set(["denied"]));
    expect(report.denial).toMatchObject({ code: "exceeds_limit", requested: 1_010, maxChildren: 100 });
    expect(proxy.seen.filter((line) => line.endsWith("/reservations"))).toHaveLength(1);
    expect(report.closed).toBeUndefined();
  });

  it("denied: what does not fit, where the admission is partial; the rest runs", async () => {
    const { report, spent } = await run(120, (_, { use }) => use({ tokens: 1 }), { admit: "partial" });
    expect(statuses(report.results)).toEqual(numbers(120).map((i) => (i < 100 ? "done" : "denied")));
    expect(spent).toBe(100);
  });

  it("cancelled: an abort stops what runs, settles what it used, starts nothing more, and cancels its job", async () => {
    const abort = new AbortController();
    const stop = new Error("stop");
    const worker: Worker<number, void> = async (item, { use, signal }) => {
      use({ tokens: 3 });
      if (item < 2) return;
      if (item === 5) abort.abort(stop);
      await sleep(60_000, undefined, { signal }).catch(() => signal.throwIfAborted());
    };
    const { report, tenant } = await run(50, worker, { concurrency: 4, attempts: 2, signal: abort.signal });
    expect(report.counts).toEqual({ done: 2, cancelled: 48, failed: 0, denied: 0, shed: 0 });
    expect(report.results[49]).toMatchObject({ status: "cancelled", error: stop, attempts: 0, cost: {} });
    expect(report.cost).toEqual({ tokens: 18 });
    expect((await tenant.call("GET", `/v1/jobs/${report.jobId}`)).body.state).toBe("cancelled");
    const never = await run(3, () => fail(), { signal: AbortSignal.abort(stop) });
    expect(never.report.counts.cancelled).toBe(3);
  });

  it("cancelled: where its job is cancelled by somebody else", async () => {
    const tenant = await holdfast.tenant();
    const job = await clientOf(tenant).openJob();
    const worker: Worker<number, void> = async (item, { use }) => {
      use({ tokens: 1 });
      if (item === 3) await job.cancel();
    };
    const report = await job.fanOut(numbers(20), worker, { ...COST, concurrency: 1 });
    expect(statuses(report.results)).toEqual(numbers(20).map((i) => (i < 4 ? "done" : "cancelled")));
    expect(report.results[19]).toMatchObject({ error: expect.any(JobNotOpen) });
    expect(await tenant.balance()).toMatchObject({ spent: 4, reserved: 0 });
  });

  it("failed: all that is left, where the service refuses such requests for good; asked once a lane", async () => {
    const { report } = await run(30, () => fail(), { service: "no-such-service", concurrency: 2 });
    expect(new Set(statuses(report.results))).toEqual(new Set(["failed"]));
    expect(report.results[29]).toMatchObject({ error: expect.any(ServiceUnknown) });
    expect(proxy.seen.filter((line) => line.endsWith("/permits")).length).toBeLessThanOrEqual(2);
    expect(report.closed).toBe("released");
  });
});

function fail(): never {
  throw new Error("must not run");
}

describe("what an attempt used", () => {
  it("counts as planned where it hangs past its time limit, and is tried again", async () => {
    const worker: Worker<number, string> = (_, { attempt }) =>
      attempt === 1 ? new Promise<never>(() => undefined) : Promise.resolve("late");
    const { report } = await run(1, worker, { attempts: 2, attemptTimeoutMs: 20, graceMs: 20 });
    expect(report.results).toMatchObject([{ status: "done", attempts: 2, cost: { tokens: 20 }, estimated: true }]);
  });

  it("is booked once, although answers are lost, requests are dropped and arrive twice", async () => {
    let seen = 0;
    proxy.set((line) => {
      if (!/(finish|settle|jobs|reservations)$/.test(line)) return "pass";
      return (["pass", "lose", "twice", "drop", "fail"] as const)[(seen += 1) % 5]!;
    });
    const { report } = await run(25, (item, { use }) => use({ tokens: item % 3 }));
    expect(report.counts.done).toBe(25);
  });

  it("is booked by the settlement where the end of an attempt could not be told", async () => {
    let ends = 0;
    // Every try of each of the five.
    proxy.set((line) => (line.endsWith("/finish") && ++ends <= 25 ? "drop" : "pass"));
    const { report } = await run(5, (_, { use }) => use({ tokens: 4 }), { concurrency: 5 });
    expect(report).toMatchObject({ counts: { done: 5 }, closed: "settled" });
  });

  it("is told the service as an outcome, and the place is kept while the attempt runs longer than its lease", async () => {
    const service = await newService(holdfast, { concurrency: 1 });
    const worker: Worker<number, void> = async (item) => {
      if (item === 0) await sleep(1_400);
      const { body } = await holdfast.admin("GET", `/v1/admin/services/${service}`);
      expect(body["live"]).toMatchObject({ inFlight: 1 });
    };
    const { report } = await run(2, worker, { service, concurrency: 2 });
    expect(report.counts.done).toBe(2);
  });
});

describe("a service", () => {
  it("is never called by more at once than it has places, however many lanes there are; a free place is taken at once", async () => {
    const service = await newService(holdfast, { concurrency: 3 });
    const meeting = new Meeting(3);
    const begun = performance.now();
    const { report } = await run(30, () => meeting.attend(), { service, concurrency: 10 });
    expect(report.counts.done).toBe(30);
    expect(meeting.most).toBe(3);
    // What waits for a place is told to come back when leases end; it does not wait for that.
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  it("whose breaker is open is left alone: what waits for too long is shed, and told", async () => {
    const breaker = { failures: 2, windowMs: 10_000, resetMs: 60_000, probes: 1 };
    const service = await newService(holdfast, { breaker });
    const calls: number[] = [];
    const worker: Worker<number, void> = (item) => {
      calls.push(item);
      throw Object.assign(new Error("down"), { status: 503 });
    };
    const { report } = await run(20, worker, { service, concurrency: 1, patienceMs: 1_000 });
    expect(calls).toEqual([0, 1]);
    expect(report.counts).toEqual({ failed: 2, shed: 18, done: 0, denied: 0, cancelled: 0 });
    expect(report.results[19]).toMatchObject({ error: expect.any(BreakerOpen), attempts: 0 });
  });

  it("whose breaker opens for a while is called again when it is over, and all is done", async () => {
    const breaker = { failures: 2, windowMs: 10_000, resetMs: 300, probes: 1 };
    const service = await newService(holdfast, { breaker });
    const opensAt = performance.now() + 200;
    const worker: Worker<number, void> = () => {
      if (performance.now() < opensAt) throw Object.assign(new Error("down"), { status: 503 });
    };
    const { report } = await run(8, worker, { service, concurrency: 2, attempts: 6 });
    expect(report.counts.done).toBe(8);
  });
});

describe("the results as they come", () => {
  it("are walked through in the order of their ends, and the report is there besides", async () => {
    const tenant = await holdfast.tenant();
    const worker: Worker<number, number> = async (item, { use }) => {
      use({ tokens: 1 });
      await sleep(item * 40);
      return item;
    };
    const fanOut = clientOf(tenant).fanOut([3, 1, 2], worker, COST);
    const seen: number[] = [];
    for await (const { item } of fanOut) seen.push(item);
    expect(seen).toEqual([1, 2, 3]);
    expect((await fanOut).results.map(({ item }) => item)).toEqual([3, 1, 2]);
  });

  it("that nobody reads any more stop the run, and all is settled when the loop is left", async () => {
    const tenant = await holdfast.tenant();
    const worker: Worker<number, void> = async (item, { use, signal }) => {
      use({ tokens: 1 });
      if (item > 0) await sleep(60_000, undefined, { signal });
    };
    for await (const _ of clientOf(tenant).fanOut(numbers(30), worker, { ...COST, concurrency: 3 })) break;
    expect(await tenant.balance()).toMatchObject({ reserved: 0 });
    await tenant.expectAtRest();
  });
});

describe("progress", () => {
  it("is told at the end of each item, and adds up", async () => {
    const told: Progress[] = [];
    const onProgress = (progress: Progress): void => void told.push(progress);
    await run(5, (item, { use }) => use({ tokens: item }), { onProgress });
    expect(told).toHaveLength(5);
    expect(told[4]).toEqual({
      total: 5,
      counts: { done: 5, failed: 0, denied: 0, shed: 0, cancelled: 0 },
      running: 0,
      cost: { tokens: 10 },
    });
  });

  it("that throws stops the run, which rejects with it once all is settled", async () => {
    const tenant = await holdfast.tenant();
    const bug = new Error("bug");
    const run = clientOf(tenant).fanOut(numbers(9), (_, { use }) => use({ tokens: 1 }), {
      ...COST,
      onProgress: () => {
        throw bug;
      },
    });
    await expect(run).rejects.toBe(bug);
    expect(await tenant.balance()).toMatchObject({ reserved: 0 });
    await tenant.expectAtRest();
  });
});

it("goes on under the same job and plan where it is run again under the same key after a crash", async () => {
  const tenant = await holdfast.tenant();
  // The process dies in the moment in which everything is reserved: nobody closes it.
  const job = (await clientOf(tenant).jobs.create({}, { idempotencyKey: "nightly:job" })).id;
  const plan = { children: 3, attempts: 1, attemptCost: { tokens: 10 } };
  const body = { plan, admit: "all", ttlMs: 60_000 } as const;
  const held = await clientOf(tenant).reservations.reserve(job, body, { idempotencyKey: "nightly:plan" });
  await clientOf(tenant).reservations.charge(held.id, {
    child: 1,
    attempt: 1,
    outcome: "succeeded",
    actual: { tokens: 4 },
  });
  const options = { ...COST, idempotencyKey: "nightly" };
  const report = await clientOf(tenant).fanOut(numbers(3), (_, { use }) => use({ tokens: 5 }), options);
  expect(report).toMatchObject({ jobId: job, reservationId: held.id });
  expect(report.results[0]).toMatchObject({ status: "failed", error: expect.any(AttemptsExhausted) });
  expect(await tenant.balance()).toMatchObject({ spent: 14, reserved: 0 });
});

it("denies what others hold at this moment, and says how much would fit", async () => {
  const tenant = await holdfast.tenant();
  await tenant.openReservation({ tokens: 950 });
  const report = await clientOf(tenant).fanOut(numbers(6), () => fail(), COST);
  expect(report.denial).toBeInstanceOf(AllowanceExhausted);
  expect(report.denial).toMatchObject({ available: 50, maxChildren: 5 });
});
