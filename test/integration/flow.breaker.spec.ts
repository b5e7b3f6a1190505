import type { Acquired, Flow, Outcome, ServiceLimits } from "#libs/flow";
import { eventually } from "../support/record.js";
import { redisUrl } from "../support/services.js";
import { newService, openFlows, permitOf, requestFor } from "./flow-fixtures.js";

const RESET_MS = 400;
let flows: Flow[];

beforeAll(async () => {
  flows = await openFlows(redisUrl(), 2);
});

afterAll(() => Promise.all(flows.map((flow) => flow.close())));

function sickService(): ServiceLimits {
  return newService({ breaker: { failures: 5, windowMs: 10_000, resetMs: RESET_MS, probes: 3 } });
}

function askMany(service: ServiceLimits, count: number): Promise<Acquired[]> {
  return Promise.all(Array.from({ length: count }, (_, i) => flows[i % 2]!.acquire(requestFor(service))));
}

const granted = (all: readonly Acquired[]) => all.filter(({ status }) => status === "granted");

async function finishAll(service: ServiceLimits, all: readonly Acquired[], outcome: Outcome): Promise<void> {
  const permits = granted(all).map(permitOf);
  await Promise.all(permits.map((permit, i) => flows[(i + 1) % 2]!.finish(permit, outcome, service)));
}

async function phaseSeen({ name, limits }: ServiceLimits): Promise<string> {
  return (await flows[1]!.show(name, limits)).breaker;
}

describe("a breaker shared by two processes", () => {
  it("opens once for 20 parallel failures, lets through exactly its probes in each round, and closes when they succeed", async () => {
    const service = sickService();
    await finishAll(service, await askMany(service, 20), "failed");
    for (let round = 0; round < 5; round++) {
      const early = await askMany(service, 10);
      expect(granted(early)).toHaveLength(0);
      expect(early[0]).toMatchObject({ reason: "breaker_open", scope: "service" });
      await eventually(async () => (await phaseSeen(service)) === "half_open");
      const probes = await askMany(service, 100);
      expect(granted(probes)).toHaveLength(3);
      await finishAll(service, probes, round < 4 ? "overloaded" : "succeeded");
    }
    expect(await phaseSeen(service)).toBe("closed");
    expect(granted(await askMany(service, 10))).toHaveLength(10);
  });

  it("gives the places of unanswered probes to others after one reset time", async () => {
    const service = sickService();
    await flows[0]!.trip(service.name, service.limits);
    await eventually(async () => (await phaseSeen(service)) === "half_open");
    const lost = await askMany(service, 100);
    const next: Acquired[] = [];
    await eventually(async () => {
      next.push(...granted(await askMany(service, 10)));
      return next.length > 0;
    });
    expect(next).toHaveLength(3);
    await finishAll(service, lost, "succeeded");
    expect(await phaseSeen(service)).toBe("half_open");
  });

  it("is moved neither by what is the caller's own nor by results from before it opened", async () => {
    const service = sickService();
    const early = await askMany(service, 20);
    for (const outcome of ["rejected", "cancelled"] as const) {
      await finishAll(service, await askMany(service, 100), outcome);
      expect(await phaseSeen(service)).toBe("closed");
    }
    await flows[0]!.trip(service.name, service.limits);
    await finishAll(service, early, "succeeded");
    expect(await phaseSeen(service)).toBe("open");
    await flows[0]!.reset(service.name, service.limits);
    expect(await phaseSeen(service)).toBe("closed");
  });
});
