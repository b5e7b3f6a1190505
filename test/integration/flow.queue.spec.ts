import { Redis } from "ioredis";
import { FlowClosed, type Acquired, type Flow, type Permit, type ServiceLimits } from "#libs/flow";
import { eventually } from "../support/record.js";
import { startPrivateRedis, type PrivateRedis } from "../support/services.js";
import { breakable, newService, openFlows, permitOf, requestFor } from "./flow-fixtures.js";

let server: PrivateRedis;
let redis: Redis;
let flows: Flow[];

beforeAll(async () => {
  server = await startPrivateRedis();
  redis = new Redis(server.url);
  flows = await openFlows(server.url, 3);
});

afterAll(async () => {
  await Promise.all(flows.map((flow) => flow.close()));
  redis.disconnect();
  await server.stop();
});

/** All places of a service of one place, taken. */
async function busy(max: number, tenantLimits?: NonNullable<ServiceLimits["tenantLimits"]>) {
  const service = newService({ concurrency: 1, queue: { max, maxWaitMs: 60_000 } }, tenantLimits);
  const permit = permitOf(await flows[0]!.acquire(requestFor(service)));
  return { service, permit };
}

/** Waits as the named caller; finishes at once what it gets, so that the next one goes. */
async function passThrough(flow: Flow, service: ServiceLimits, tenantId: string, served: string[], name: string) {
  const acquired = await flow.acquire(requestFor(service, { tenantId }), { waitMs: 60_000 });
  served.push(name);
  await flow.finish(permitOf(acquired), "succeeded", service);
}

async function waitingAt({ name, limits }: ServiceLimits): Promise<number> {
  const { waiting } = await flows[0]!.show(name, limits);
  return Object.values(waiting).reduce((sum, count) => sum + count, 0);
}

const scripts = /cmdstat_(evalsha|eval):calls=(\d+)/g;
async function scriptsRun(): Promise<number> {
  const stats = await redis.info("commandstats");
  return [...stats.matchAll(scripts)].reduce((sum, [, , count]) => sum + Number(count), 0);
}

describe("the queue of a service", () => {
  it("holds ten of 200 that come at once to three processes, and sheds the others at once", async () => {
    const { service, permit } = await busy(10);
    const arrivals = Array.from({ length: 200 }, (_, i) =>
      flows[i % 3]!.acquire(requestFor(service), { waitMs: 60_000 }),
    );
    const shed: Acquired[] = [];
    arrivals.forEach(
      (arrival) => void arrival.then((acquired) => acquired.status === "refused" && shed.push(acquired)),
    );
    await eventually(async () => shed.length === 190);
    expect(await waitingAt(service)).toBe(10);
    for (const acquired of shed) expect(acquired).toMatchObject({ reason: "queue_full", scope: "service" });
    expect(shed.every((acquired) => acquired.status === "refused" && acquired.retryAfterMs! >= 1)).toBe(true);

    const granted = arrivals.map(async (arrival, i) => {
      const acquired = await arrival;
      if (acquired.status === "granted") await flows[i % 3]!.finish(acquired.permit, "succeeded", service);
      return acquired.status;
    });
    await flows[0]!.finish(permit, "succeeded", service);
    const statuses = await Promise.all(granted);
    expect(statuses.filter((status) => status === "granted")).toHaveLength(10);
    expect(await waitingAt(service)).toBe(0);
  });

  it("serves the one caller of a tenant next but one, before the thousand of another, over processes", async () => {
    const { service, permit } = await busy(2_000);
    const served: string[] = [];
    const greedy = Array.from({ length: 1_000 }, (_, i) => passThrough(flows[i % 2]!, service, "greedy", served, "g"));
    await eventually(async () => (await waitingAt(service)) === 1_000);
    const modest = passThrough(flows[2]!, service, "modest", served, "m");
    await eventually(async () => (await waitingAt(service)) === 1_001);
    await flows[0]!.finish(permit, "succeeded", service);
    await Promise.all([...greedy, modest]);
    expect(served.indexOf("m")).toBeLessThanOrEqual(2);
    expect(served).toHaveLength(1_001);
  });

  it("forgets a caller that goes away, and lets those behind it go", async () => {
    const service = newService({ rate: { ratePerSecond: 5, burst: 10 }, queue: { max: 10, maxWaitMs: 60_000 } });
    permitOf(await flows[0]!.acquire(requestFor(service, { cost: 10 })));
    const gone = new AbortController();
    const big = flows[0]!.acquire(requestFor(service, { cost: 10 }), { waitMs: 60_000, signal: gone.signal });
    await eventually(async () => (await waitingAt(service)) === 1);
    const small = flows[1]!.acquire(requestFor(service), { waitMs: 60_000 });
    await eventually(async () => (await waitingAt(service)) === 2);
    gone.abort(new Error("gone"));
    await expect(big).rejects.toThrow("gone");
    permitOf(await small);
    expect(await waitingAt(service)).toBe(0);
    expect(flows[0]!.waiting).toBe(0);
    expect(await redis.keys(`holdfast:{${service.name}}:queue:{line,turns,waiters,resting}`)).toEqual([]);
  });

  it("tells a caller whose time is up how things stand, and forgets it", async () => {
    const { service } = await busy(10);
    const acquired = await flows[1]!.acquire(requestFor(service), { waitMs: 50 });
    expect(acquired).toMatchObject({ status: "refused", reason: "concurrency_limited" });
    expect(await waitingAt(service)).toBe(0);
  });

  it("gives the place of a caller whose process has died to the next", async () => {
    const { service, permit } = await busy(10);
    const dying = breakable(server.url);
    await eventually(async () => dying.flow.isShared);
    const lost = dying.flow.acquire(requestFor(service), { waitMs: 60_000 });
    await eventually(async () => (await waitingAt(service)) === 1);
    dying.cutOff();
    const next = flows[1]!.acquire(requestFor(service), { waitMs: 60_000 });
    await eventually(async () => (await waitingAt(service)) === 2);
    await flows[0]!.finish(permit, "succeeded", service);
    permitOf(await next);
    expect(await waitingAt(service)).toBe(0);
    permitOf(await lost);
    await dying.flow.close();
  });

  it("tells those who wait when the process stops, and leaves no trace of them", async () => {
    const { service } = await busy(10);
    const [stopping] = await openFlows(server.url, 1);
    const waiting = stopping!.acquire(requestFor(service), { waitMs: 60_000 });
    await eventually(async () => (await waitingAt(service)) === 1);
    const told = expect(waiting).rejects.toThrow(FlowClosed);
    await stopping!.close();
    await told;
    expect(await waitingAt(service)).toBe(0);
  });

  it("passes over a tenant that its own limits hold back", async () => {
    const limits = { concurrency: 2, queue: { max: 10, maxWaitMs: 60_000 } };
    const service = newService(limits, { concurrency: 1 });
    const held: Permit = permitOf(await flows[0]!.acquire(requestFor(service, { tenantId: "a" })));
    const waiting = flows[0]!.acquire(requestFor(service, { tenantId: "a" }), { waitMs: 60_000 });
    await eventually(async () => (await waitingAt(service)) === 1);
    permitOf(await flows[1]!.acquire(requestFor(service, { tenantId: "b" }), { waitMs: 60_000 }));
    await flows[2]!.finish(held, "succeeded", service);
    permitOf(await waiting);
  });

  it("keeps to its rate exactly over processes, and wastes none of it while callers wait", async () => {
    const rate = { ratePerSecond: 50, burst: 5 };
    const service = newService({ rate, queue: { max: 200, maxWaitMs: 60_000 } });
    const start = performance.now();
    const at = await Promise.all(
      Array.from({ length: 155 }, async (_, i) => {
        const request = requestFor(service, { tenantId: `t${i % 4}` });
        permitOf(await flows[i % 3]!.acquire(request, { waitMs: 60_000 }));
        return performance.now() - start;
      }),
    );
    // 5 at once, and 150 at 50 a second.
    at.sort((a, b) => a - b).forEach((ms, i) => expect(i + 1).toBeLessThanOrEqual(5 + (50 * (ms + 25)) / 1_000));
    expect(at.at(-1)).toBeLessThan(3_000 * 1.15);
  });

  it("has no more in flight than its places, whoever comes, waits and goes over three processes", async () => {
    const service = newService({ concurrency: 7, queue: { max: 500, maxWaitMs: 60_000 } }, { concurrency: 3 });
    let [inFlight, most, ended] = [0, 0, 0];
    const callers = Array.from({ length: 300 }, async (_, i) => {
      const flow = flows[i % 3]!;
      const request = requestFor(service, { tenantId: `t${i % 5}` });
      const signal = i % 10 === 0 ? AbortSignal.timeout(20 + i) : undefined;
      const acquired = await flow.acquire(request, { waitMs: 60_000, ...(signal && { signal }) }).catch(() => null);
      if (!acquired) return;
      const permit = permitOf(acquired);
      most = Math.max(most, ++inFlight);
      await new Promise((resolve) => setTimeout(resolve, 5));
      inFlight--;
      const done = await flows[(i + 1) % 3]!.finish(permit, "succeeded", service);
      ended += Number(done);
    });
    await Promise.all(callers);
    expect(most).toBe(7);
    expect(ended).toBeGreaterThanOrEqual(270);
    expect(await flows[0]!.show(service.name, service.limits)).toMatchObject({ inFlight: 0, waiting: {} });
  });

  it("costs no polling: ten thousand callers wait for one call a second and process", async () => {
    const { service } = await busy(10_000);
    const callers: { gone: AbortController; done: Promise<unknown> }[] = [];
    while (callers.length < 10_000) {
      for (let i = 0; i < 500; i++) {
        const gone = new AbortController();
        const asked = flows[i % 3]!.acquire(requestFor(service), { waitMs: 60_000, signal: gone.signal });
        callers.push({ gone, done: asked.catch(() => null) });
      }
      await eventually(async () => (await waitingAt(service)) === callers.length);
    }
    const [scriptsBefore, since] = [await scriptsRun(), performance.now()];
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    const seconds = (performance.now() - since) / 1_000;
    // A nudge from each of three processes, and what the head of the line asks when it is woken by one.
    expect(((await scriptsRun()) - scriptsBefore) / seconds).toBeLessThanOrEqual(8);
    while (callers.length > 0) {
      const some = callers.splice(0, 500);
      some.forEach(({ gone }) => gone.abort());
      await Promise.all(some.map(({ done }) => done));
    }
    expect(await waitingAt(service)).toBe(0);
  }, 60_000);
});
