import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { BreakerOpen, RateLimited, ValidationFailed, type Worker } from "#libs/client";
import { newService } from "../support/flow.js";
import { ClientWorld, COST, Meeting, never, numbers } from "./world.js";

let world: ClientWorld;

beforeAll(async () => {
  world = await ClientWorld.start({ HOLDFAST_RETRY_RATIO: "off", HOLDFAST_PERMIT_LEASE_MS: "1000" });
}, 60_000);
beforeEach(() => world.calm());
afterAll(() => world?.stop());

describe("an attempt", () => {
  it("counts as planned where it hangs past its time limit, and is tried again", async () => {
    const worker: Worker<number, string> = (_, { attempt }) =>
      attempt === 1 ? new Promise<never>(() => undefined) : Promise.resolve("late");
    const { report } = await world.run(1, worker, { attempts: 2, attemptTimeoutMs: 20, graceMs: 20 });
    expect(report.results).toMatchObject([{ status: "done", attempts: 2, cost: { tokens: 20 }, estimated: true }]);
  });

  it.each([Infinity, 10_000_000_000])(
    "may have a time limit of %d ms, which is no short one",
    async (attemptTimeoutMs) => {
      const worker: Worker<number, void> = async (_, { use, signal }) => {
        await sleep(20, undefined, { signal });
        use({ tokens: 1 });
      };
      const { report } = await world.run(2, worker, { attemptTimeoutMs });
      expect(report).toMatchObject({ counts: { done: 2 }, cost: { tokens: 2 } });
    },
  );

  it("is booked once, although answers are lost, requests are dropped and arrive twice", async () => {
    let seen = 0;
    world.proxy.set((line) => {
      if (!/(finish|settle|jobs|reservations)$/.test(line)) return "pass";
      return (["pass", "lose", "twice", "drop", "fail"] as const)[(seen += 1) % 5]!;
    });
    const { report } = await world.run(25, (item, { use }) => use({ tokens: item % 3 }));
    expect(report.counts.done).toBe(25);
  });

  it("is booked by the settlement where the end of an attempt could not be told", async () => {
    let ends = 0;
    // Every try of each of the five.
    world.proxy.set((line) => (line.endsWith("/finish") && ++ends <= 25 ? "drop" : "pass"));
    const { report } = await world.run(5, (_, { use }) => use({ tokens: 4 }), { concurrency: 5 });
    expect(report).toMatchObject({ counts: { done: 5 }, closed: "settled" });
  });

  it("is under a lease that is renewed: its place is not given away while it runs longer", async () => {
    const service = await newService(world.holdfast, { concurrency: 1 });
    const meeting = new Meeting(1);
    const { report } = await world.run(2, (item) => meeting.attend(item === 0 ? 1_800 : 5), {
      service,
      concurrency: 2,
    });
    expect(report.counts.done).toBe(2);
    expect(meeting.most).toBe(1);
  });

  it("and its settlement are kept in the journal where the service cannot be told, and told by the next start", async () => {
    const folder = mkdtempSync(join(tmpdir(), "holdfast-journal-"));
    const journal = join(folder, "journal");
    const tenant = await world.holdfast.tenant();
    world.proxy.set((line) => (/(finish|settle)$/.test(line) ? "fail" : "pass"));
    const holdfast = world.clientOf(tenant, { journal });
    const report = await holdfast.fanOut(numbers(3), (_, { use }) => use({ tokens: 4 }), COST);
    expect(report).toMatchObject({ counts: { done: 3 }, closed: "journalled", cost: { tokens: 12 } });
    expect(await tenant.balance()).toMatchObject({ reserved: 30, spent: 0 });
    world.proxy.set(() => "pass");
    expect(await world.clientOf(tenant, { journal }).replayed).toMatchObject({
      told: [report.reservationId],
      kept: [],
    });
    expect(await tenant.balance()).toMatchObject({ reserved: 0, spent: 12 });
    await tenant.expectAtRest();
    rmSync(folder, { recursive: true });
  });
});

describe("a service", () => {
  it("whose allowance does not hold the plan denies it, and says so", async () => {
    const service = await newService(world.holdfast, { allowances: { tokens: { limit: 35 } } });
    const { report } = await world.run(5, (_, { use }) => use({ tokens: 1 }), { service, admit: "partial" });
    expect(report.counts).toMatchObject({ done: 3, denied: 2 });
    const { report: none } = await world.run(5, never, { service });
    expect(none.denial).toMatchObject({ scope: { kind: "service", id: service } });
  });

  it("that lets nothing through for good fails what is left, asked once a lane", async () => {
    const service = await newService(world.holdfast, { ratePerSecond: 1, burst: 1 });
    const { report } = await world.run(30, never, { service, rateCost: 2, concurrency: 2 });
    expect(report.counts.failed).toBe(30);
    expect(report.results[29]).toMatchObject({ error: expect.any(ValidationFailed), attempts: 0 });
    expect(world.proxy.seen.filter((line) => line.endsWith("/permits")).length).toBeLessThanOrEqual(2);
    expect(report.closed).toBe("released");
  });

  it("whose breaker is open is left alone: what waits for too long is shed, and told", async () => {
    const breaker = { failures: 2, windowMs: 10_000, resetMs: 60_000, probes: 1 };
    const service = await newService(world.holdfast, { breaker });
    const calls: number[] = [];
    const worker: Worker<number, void> = (item) => {
      calls.push(item);
      throw Object.assign(new Error("down"), { status: 503 });
    };
    const { report } = await world.run(20, worker, { service, concurrency: 1, patienceMs: 1_000 });
    expect(calls).toEqual([0, 1]);
    expect(report.counts).toEqual({ failed: 2, shed: 18, done: 0, denied: 0, cancelled: 0 });
    expect(report.results[19]).toMatchObject({ error: expect.any(BreakerOpen), attempts: 0 });
  });

  it("that asks for a long wait while something runs is not waited for beyond patience once nothing does", async () => {
    const service = await newService(world.holdfast, { ratePerSecond: 0.001, burst: 1 });
    const begun = performance.now();
    const { report } = await world.run(4, () => sleep(300), { service, concurrency: 3, patienceMs: 2_000 });
    expect(report.counts).toMatchObject({ done: 1, shed: 3 });
    expect(report.results[3]).toMatchObject({ error: expect.any(RateLimited), attempts: 0 });
    expect(performance.now() - begun).toBeLessThan(4_000);
  });

  it("that is behind a gateway which fails is asked ever less often", async () => {
    world.proxy.set((line) => (line.endsWith("/permits") ? "fail" : "pass"));
    const { report } = await world.run(10, never, { concurrency: 1, patienceMs: 2_000 });
    expect(report.counts.shed).toBe(10);
    expect(world.proxy.seen.filter((line) => line.endsWith("/permits")).length).toBeLessThanOrEqual(20);
  });

  it("whose breaker opens for a while is called again when it is over, and all is done", async () => {
    const breaker = { failures: 2, windowMs: 10_000, resetMs: 300, probes: 1 };
    const service = await newService(world.holdfast, { breaker });
    const opensAt = performance.now() + 200;
    const worker: Worker<number, void> = () => {
      if (performance.now() < opensAt) throw Object.assign(new Error("down"), { status: 503 });
    };
    const { report } = await world.run(8, worker, { service, concurrency: 2, attempts: 6 });
    expect(report.counts.done).toBe(8);
  });
});
