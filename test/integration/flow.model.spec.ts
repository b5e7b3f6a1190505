import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { Redis } from "ioredis";
import {
  MemoryFlowStore,
  OUTCOMES,
  RedisFlowStore,
  type FlowStore,
  type Outcome,
  type Permit,
  type PermitRequest,
  type ServiceLimits,
} from "#libs/flow";
import type { Turn } from "../../libs/flow/machines/turn.js";
import { leaseIdOf } from "../../libs/flow/lease-id.js";
import { redisUrl } from "../support/services.js";

const LEASE_MS = 5_000;
const processes = ["one", "two"];

interface Asked {
  readonly tenant: number;
  readonly child: number;
  readonly cost: number;
  readonly process: number | null;
}

type Step =
  | ({ readonly kind: "decide" } & Asked)
  | { readonly kind: "decideTogether"; asked: Asked[] }
  | { readonly kind: "finishTogether"; permits: number[]; outcome: Outcome }
  | { readonly kind: "again" | "leave"; waiter: number }
  | { readonly kind: "finish"; permit: number; outcome: Outcome }
  | { readonly kind: "heartbeat"; permit: number }
  | { readonly kind: "nudge"; process: number }
  | { readonly kind: "wait"; ms: number }
  | { readonly kind: "breaker"; to: "open" | "closed" };

const askedArb = fc.record({
  tenant: fc.nat(2),
  child: fc.nat(20),
  cost: fc.integer({ min: 0, max: 8 }),
  process: fc.option(fc.nat(1)),
});
const decide = askedArb.map((asked) => ({ kind: "decide" as const, ...asked }));
const decideTogether = fc.record({
  kind: fc.constant("decideTogether" as const),
  asked: fc.array(askedArb, { minLength: 2, maxLength: 6 }),
});
const finishTogether = fc.record({
  kind: fc.constant("finishTogether" as const),
  permits: fc.array(fc.nat(9), { minLength: 2, maxLength: 6 }),
  outcome: fc.constantFrom(...OUTCOMES),
});
const again = fc.record({ kind: fc.constant("again" as const), waiter: fc.nat(9) });
const leave = fc.record({ kind: fc.constant("leave" as const), waiter: fc.nat(9) });
const finish = finishArb();
const heartbeat = fc.record({ kind: fc.constant("heartbeat" as const), permit: fc.nat(9) });
const nudge = fc.record({ kind: fc.constant("nudge" as const), process: fc.nat(1) });
const wait = fc.record({ kind: fc.constant("wait" as const), ms: waitArb() });
const breaker = fc.record({
  kind: fc.constant("breaker" as const),
  to: fc.constantFrom("open" as const, "closed" as const),
});

function weighted(...steps: readonly (readonly [number, fc.Arbitrary<Step>])[]): fc.Arbitrary<Step> {
  return fc.oneof(...steps.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}

const anything = weighted(
  [6, decide],
  [4, again],
  [1, leave],
  [5, finish],
  [1, heartbeat],
  [1, nudge],
  [5, wait],
  [1, breaker],
  [1, decideTogether],
  [1, finishTogether],
);
/** Much waiting, and little time that would end leases and processes. */
const queueing = weighted(
  [6, decide],
  [6, again],
  [1, leave],
  [3, finish],
  [1, nudge],
  [1, decideTogether],
  [1, finishTogether],
);
/** Much that begins and ends. */
const calling = weighted(
  [6, decide],
  [6, finish],
  [1, decideTogether],
  [1, finishTogether],
  [2, fc.record({ kind: fc.constant("wait" as const), ms: fc.nat(300) })],
);

function finishArb() {
  return fc.record({ kind: fc.constant("finish" as const), permit: fc.nat(9), outcome: fc.constantFrom(...OUTCOMES) });
}

/** Now and then the clock is set back. */
function waitArb() {
  return fc.oneof(
    { weight: 8, arbitrary: fc.nat(900) },
    { weight: 2, arbitrary: fc.nat(8_000) },
    { weight: 1, arbitrary: fc.constantFrom(-500, -20_000, -3_600_000) },
  );
}

const limitArbs = {
  rate: fc.record({ ratePerSecond: fc.constantFrom(0, 0.3, 3, 10), burst: fc.integer({ min: 0, max: 7 }) }),
  concurrency: fc.integer({ min: 0, max: 4 }),
  breaker: fc.record({
    failures: fc.integer({ min: 1, max: 4 }),
    windowMs: fc.constantFrom(500, 5_000),
    resetMs: fc.constantFrom(300, 3_000),
    probes: fc.integer({ min: 1, max: 3 }),
  }),
  adaptive: fc.record({ min: fc.integer({ min: 1, max: 2 }), max: fc.integer({ min: 2, max: 6 }) }),
  queue: fc.record({ max: fc.nat(8), maxWaitMs: fc.constant(10_000) }),
};
const limitsArb = fc.record(limitArbs, { requiredKeys: [] });
const busyArb = fc.record({
  concurrency: fc.integer({ min: 1, max: 2 }),
  queue: fc.constant({ max: 20, maxWaitMs: 10_000 }),
});
const adaptiveArb = fc.record(
  { adaptive: limitArbs.adaptive, breaker: limitArbs.breaker },
  { requiredKeys: ["adaptive"] },
);

const retryArb = fc.record({
  ratio: fc.constantFrom(0.2, 0.5, "off" as const),
  least: fc.nat(2),
  windowMs: fc.constantFrom(1_000, 7_000),
});

describe("the stores of flow control", () => {
  let clock = 0;
  let shared: RedisFlowStore;

  beforeAll(async () => {
    const connect = (): Redis => new Redis(redisUrl(), { maxRetriesPerRequest: 0 });
    shared = new RedisFlowStore({ connect, leaseMs: LEASE_MS, timeoutMs: 2_000, clock: () => clock });
  });
  afterAll(() => shared.close());

  it.each([
    ["whatever is asked of them in whatever order", anything, limitsArb, limitsArb],
    ["while many wait", queueing, busyArb, fc.record({ concurrency: fc.integer({ min: 1, max: 3 }) })],
    ["while limits find themselves", calling, adaptiveArb, adaptiveArb],
  ] as const)(
    "decide alike %s",
    async (_, steps, service, tenant) => {
      const runs = fc.asyncProperty(
        fc.array(steps, { minLength: 20, maxLength: 150, size: "max" }),
        fc.record({ limits: service, tenantLimits: fc.option(tenant, { nil: undefined }) }),
        retryArb,
        async (taken, { limits, tenantLimits }, retry) => {
          const bound = { name: randomUUID(), limits, ...(tenantLimits && { tenantLimits }) };
          const local = new MemoryFlowStore({ leaseMs: LEASE_MS, clock: () => clock });
          clock = 1_700_000_000_000;
          await run([local, shared], taken, bound, retry);
        },
      );
      await fc.assert(runs, { numRuns: 100 });
    },
    120_000,
  );

  async function run(
    stores: readonly FlowStore[],
    steps: readonly Step[],
    service: ServiceLimits,
    retry: PermitRequest["retry"] & object,
  ): Promise<void> {
    const waiters: { request: PermitRequest; process: string | null }[] = [];
    const permits: Permit[] = [];
    const same = async <T>(call: (store: FlowStore) => Promise<T>): Promise<T> => {
      const [one, other] = [await call(stores[0]!), await call(stores[1]!)];
      expect(other).toEqual(one);
      return one;
    };
    /** One after the other in one store, at once in the other. */
    const sameTogether = async <A, T>(asked: readonly A[], call: (store: FlowStore, one: A) => Promise<T>) => {
      const alone: T[] = [];
      for (const each of asked) alone.push(await call(stores[0]!, each));
      expect(await Promise.all(asked.map((each) => call(stores[1]!, each)))).toEqual(alone);
      return alone;
    };
    const decide = async (request: PermitRequest, process: string | null): Promise<void> =>
      take(request, process, await same((store) => store.decide(request, process)));
    const take = (request: PermitRequest, process: string | null, decision: Turn["decision"]): void => {
      if (decision.status === "waiting") return void waiters.push({ request, process });
      if (decision.status === "refused") return;
      const { id, tenantId } = request;
      permits.push({ ...decision, id, tenantId, service: service.name, leaseMs: LEASE_MS, store: "local" });
    };
    const askOf = (asked: Asked): [PermitRequest, string | null] => {
      const process = asked.process === null || !service.limits.queue ? null : processes[asked.process]!;
      return [{ ...requestOf(asked, service), retry }, process];
    };
    const perform = async (next: Step): Promise<unknown> => {
      switch (next.kind) {
        case "wait":
          return (clock += next.ms);
        case "decide": {
          const [request, process] = askOf(next);
          return decide(request, process);
        }
        case "decideTogether": {
          const asked = next.asked.map(askOf);
          const decisions = await sameTogether(asked, (store, each) => store.decide(...each));
          return decisions.forEach((decision, i) => take(...asked[i]!, decision));
        }
        case "finishTogether": {
          const ended = next.permits.flatMap((n) => permits[n] ?? []);
          return sameTogether(ended, (store, permit) => store.finish(permit, next.outcome, service));
        }
        case "again": {
          const [waiter] = waiters.splice(next.waiter, 1);
          return waiter && decide(waiter.request, waiter.process);
        }
        case "leave": {
          const [waiter] = waiters.splice(next.waiter, 1);
          return waiter && same((store) => store.leave(service.name, waiter.request.id));
        }
        case "finish": {
          const permit = permits[next.permit];
          return permit && same((store) => store.finish(permit, next.outcome, service));
        }
        case "heartbeat": {
          const permit = permits[next.permit];
          return permit && same((store) => store.heartbeat(permit));
        }
        case "nudge":
          return same((store) => store.nudge(service.name, processes[next.process]!));
        case "breaker":
          return same((store) => store.setBreaker(service.name, service.limits, next.to));
      }
    };
    for (const next of steps) {
      await perform(next);
      await same((store) => store.show(service.name, service.limits));
    }
    for (const tenant of [0, 1])
      await same((store) => store.show(service.name, service.tenantLimits ?? {}, tenantOf(tenant, service)));
  }
});

function tenantOf(tenant: number, { name }: ServiceLimits): string {
  return `tenant ${tenant} of ${name}`;
}

function requestOf({ tenant, child, cost }: Asked, service: ServiceLimits): PermitRequest {
  const tenantId = tenantOf(tenant, service);
  return {
    id: leaseIdOf({ id: randomUUID(), tenantId }),
    tenantId,
    jobId: "job",
    reservationId: "reservation",
    child: `${child}`,
    attempts: 3,
    cost,
    service,
    keepMs: 86_400_000,
  };
}
