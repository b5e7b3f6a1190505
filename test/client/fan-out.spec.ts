import { setTimeout as sleep } from "node:timers/promises";
import {
  AllowanceExhausted,
  AttemptsExhausted,
  JobNotOpen,
  ServiceUnknown,
  type ItemResult,
  type Progress,
  type Worker,
} from "#libs/client";
import { newService } from "../support/flow.js";
import { ClientWorld, COST, Meeting, never, numbers, reasonOf } from "./world.js";

let world: ClientWorld;

beforeAll(async () => {
  world = await ClientWorld.start({ HOLDFAST_RETRY_RATIO: "off" });
}, 60_000);
beforeEach(() => world.calm());
afterAll(() => world?.stop());

const statuses = (results: readonly ItemResult<unknown, unknown>[]): string[] => results.map(({ status }) => status);

describe("every item has its end", () => {
  it("done: at most so many run at once, each is settled as it told, and the job made for it is closed", async () => {
    const meeting = new Meeting(4);
    const worker: Worker<number, number> = async (item, { use }) => {
      await meeting.attend();
      use({ tokens: item });
      return item * 2;
    };
    const { report, spent, tenant } = await world.run(20, worker, { concurrency: 4, attemptCost: { tokens: 30 } });
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
    const { report } = await world.run(3, worker, { attempts: 2 });
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
    const { report } = await world.run(2, worker, { attempts: 3, retry: (_, attempt) => attempt < 2 });
    expect(report.results).toMatchObject([{ attempts: 2 }, { attempts: 2 }]);
    const byDefault = await world.run(1, worker, { attempts: 3 });
    expect(byDefault.report.results).toMatchObject([{ attempts: 1, cost: { tokens: 0 }, estimated: false }]);
  });

  it("denied: all of them where the plan does not fit, with the figures, asked once, nothing started", async () => {
    const { report } = await world.run(101, () => never(), { admit: "all" });
    expect(new Set(statuses(report.results))).toEqual(new Set(["denied"]));
    expect(report.denial).toMatchObject({ code: "exceeds_limit", requested: 1_010, maxChildren: 100 });
    expect(world.proxy.seen.filter((line) => line.endsWith("/reservations"))).toHaveLength(1);
    expect(report.closed).toBeUndefined();
  });

  it("denied: what does not fit, where the admission is partial; the rest runs", async () => {
    const { report, spent } = await world.run(120, (_, { use }) => use({ tokens: 1 }), { admit: "partial" });
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
    const { report, tenant } = await world.run(50, worker, { concurrency: 4, attempts: 2, signal: abort.signal });
    expect(report.counts).toEqual({ done: 2, cancelled: 48, failed: 0, denied: 0, shed: 0 });
    expect(report.results[49]).toMatchObject({ status: "cancelled", error: stop, attempts: 0, cost: {} });
    expect(report.cost).toEqual({ tokens: 18 });
    expect((await tenant.call("GET", `/v1/jobs/${report.jobId}`)).body.state).toBe("cancelled");
    const unstarted = await world.run(3, never, { signal: AbortSignal.abort(stop) });
    expect(unstarted.report.counts.cancelled).toBe(3);
  });

  it("cancelled: where its job is cancelled by somebody else", async () => {
    const tenant = await world.holdfast.tenant();
    const job = await world.clientOf(tenant).openJob();
    const worker: Worker<number, void> = async (item, { use }) => {
      use({ tokens: 1 });
      if (item === 3) await job.cancel();
    };
    const report = await job.fanOut(numbers(20), worker, { ...COST, concurrency: 1 });
    expect(statuses(report.results)).toEqual(numbers(20).map((i) => (i < 4 ? "done" : "cancelled")));
    expect(report.results[19]).toMatchObject({ error: expect.any(JobNotOpen) });
    expect(await tenant.balance()).toMatchObject({ spent: 4, reserved: 0 });
  });
});

it("rejects where nothing could be started: asked once, nothing held, and its job is closed", async () => {
  const tenant = await world.holdfast.tenant();
  const fanOut = world.clientOf(tenant).fanOut(numbers(3), never, { ...COST, service: "no-such-service" });
  expect(await reasonOf(fanOut)).toBeInstanceOf(ServiceUnknown);
  expect(world.proxy.seen.filter((line) => line.endsWith("/reservations"))).toHaveLength(1);
  expect((await tenant.call("GET", "/v1/jobs")).body["data"]).toMatchObject([{ state: "closed" }]);
  expect(await tenant.balance()).toMatchObject({ reserved: 0, spent: 0 });
});

it("has a result for nothing where there are no items, and takes no concurrency that would run none", async () => {
  const { report } = await world.run(0, never);
  expect(report).toMatchObject({ results: [], jobId: undefined, closed: undefined });
  const tenant = await world.holdfast.tenant();
  for (const concurrency of [0, -1, 1.5, NaN])
    expect(() => world.clientOf(tenant).fanOut([1], never, { ...COST, concurrency })).toThrow(RangeError);
});

describe("the results as they come", () => {
  it("are walked through in the order of their ends, and the report is there besides", async () => {
    const tenant = await world.holdfast.tenant();
    const worker: Worker<number, number> = async (item, { use }) => {
      use({ tokens: 1 });
      await sleep(item * 40);
      return item;
    };
    const fanOut = world.clientOf(tenant).fanOut([3, 1, 2], worker, COST);
    const seen: number[] = [];
    for await (const { item } of fanOut) seen.push(item);
    expect(seen).toEqual([1, 2, 3]);
    expect((await fanOut).results.map(({ item }) => item)).toEqual([3, 1, 2]);
  });

  it("are each given once where two loops read", async () => {
    const tenant = await world.holdfast.tenant();
    const fanOut = world.clientOf(tenant).fanOut(numbers(9), (_, { use }) => use({ tokens: 1 }), COST);
    const seen: number[] = [];
    const read = async (): Promise<void> => {
      for await (const { item } of fanOut) seen.push(item);
    };
    await Promise.all([read(), read()]);
    expect(seen.sort()).toEqual(numbers(9));
  });

  it("that nobody reads any more stop the run, and all is settled when the loop is left", async () => {
    const tenant = await world.holdfast.tenant();
    const worker: Worker<number, void> = async (item, { use, signal }) => {
      use({ tokens: 1 });
      if (item > 0) await sleep(60_000, undefined, { signal });
    };
    for await (const _ of world.clientOf(tenant).fanOut(numbers(30), worker, { ...COST, concurrency: 3 })) break;
    expect(await tenant.balance()).toMatchObject({ reserved: 0 });
    await tenant.expectAtRest();
  });
});

describe("progress", () => {
  it("is told at the end of each item, and adds up", async () => {
    const told: Progress[] = [];
    const onProgress = (progress: Progress): void => void told.push(progress);
    await world.run(5, (item, { use }) => use({ tokens: item }), { onProgress });
    expect(told).toHaveLength(5);
    expect(told[4]).toEqual({
      total: 5,
      counts: { done: 5, failed: 0, denied: 0, shed: 0, cancelled: 0 },
      running: 0,
      cost: { tokens: 10 },
    });
  });

  it.each([
    ["throws", (bug: Error) => fail(bug)],
    ["rejects", (bug: Error) => Promise.reject(bug)],
  ])("that %s stops the run, which rejects with it once all is settled", async (_, bringUp) => {
    const tenant = await world.holdfast.tenant();
    const bug = new Error("bug");
    const fanOut = world.clientOf(tenant).fanOut(numbers(9), (_, { use }) => use({ tokens: 1 }), {
      ...COST,
      onProgress: () => bringUp(bug),
    });
    expect(await reasonOf(fanOut)).toBe(bug);
    expect(await tenant.balance()).toMatchObject({ reserved: 0 });
    await tenant.expectAtRest();
  });
});

it("goes on under the same job and plan where it is run again under the same key after a crash", async () => {
  const tenant = await world.holdfast.tenant();
  // The process dies in the moment in which everything is reserved: nobody closes it.
  const job = (await world.clientOf(tenant).jobs.create({}, { idempotencyKey: "nightly:job" })).id;
  const plan = { children: 3, attempts: 1, attemptCost: { tokens: 10 } };
  const body = { plan, admit: "all", ttlMs: 60_000 } as const;
  const held = await world.clientOf(tenant).reservations.reserve(job, body, { idempotencyKey: "nightly:plan" });
  await world.clientOf(tenant).reservations.charge(held.id, {
    child: 1,
    attempt: 1,
    outcome: "succeeded",
    actual: { tokens: 4 },
  });
  const options = { ...COST, idempotencyKey: "nightly" };
  const report = await world.clientOf(tenant).fanOut(numbers(3), (_, { use }) => use({ tokens: 5 }), options);
  expect(report).toMatchObject({ jobId: job, reservationId: held.id });
  expect(report.results[0]).toMatchObject({ status: "failed", error: expect.any(AttemptsExhausted) });
  expect(await tenant.balance()).toMatchObject({ spent: 14, reserved: 0 });
});

it("denies what others hold at this moment, and says how much would fit", async () => {
  const tenant = await world.holdfast.tenant();
  await tenant.openReservation({ tokens: 950 });
  const report = await world.clientOf(tenant).fanOut(numbers(6), () => never(), COST);
  expect(report.denial).toBeInstanceOf(AllowanceExhausted);
  expect(report.denial).toMatchObject({ available: 50, maxChildren: 5 });
});

it("calls a service by no more at once than it has places, and takes a free place at once instead of when leases end", async () => {
  const service = await newService(world.holdfast, { concurrency: 3 });
  const meeting = new Meeting(3);
  const { report } = await world.run(30, () => meeting.attend(), { service, concurrency: 10 });
  expect(report.counts.done).toBe(30);
  expect(meeting.most).toBe(3);
});

function fail(error: Error): never {
  throw error;
}
