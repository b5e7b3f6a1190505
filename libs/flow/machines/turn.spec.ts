import { newGate, type Limits } from "./gate.js";
import { finishPermit, type BoundGate, type Grant } from "./permit.js";
import { newQueue, waitingIn } from "./queue.js";
import { RETRY_DEFAULTS } from "./retry-budget.js";
import { decideTurn, type Turn } from "./turn.js";

/** A service with a queue, and callers that come to it. */
function service(limits: Limits, tenantLimits: Limits, places = { max: 100, tenantMax: 100 }) {
  const gate: BoundGate = { scope: "service", gate: newGate(), limits };
  const tenants = new Map<string, BoundGate>();
  const queue = newQueue();
  const gatesOf = (tenant: string): BoundGate[] => {
    const own = tenants.get(tenant) ?? { scope: "tenant", gate: newGate(), limits: tenantLimits };
    tenants.set(tenant, own);
    return [gate, own];
  };
  return {
    queue,
    /** `id` begins with the name of its tenant. */
    ask: (id: string, { now = 0, cost = 1, waits = true } = {}): Turn => {
      const tenant = id[0]!;
      const state = { attempts: new Map(), retries: new Map(), gates: gatesOf(tenant), queue, places };
      const ask = { id, tenant, child: id, planned: 1, known: 0, cost, leaseMs: 30_000, retry: RETRY_DEFAULTS };
      return decideTurn(state, ask, waits ? { id, tenant, process: "one" } : null, now);
    },
    finish: (id: string, grant: Turn["decision"], now = 0): boolean =>
      finishPermit(gatesOf(id[0]!), { ...(grant as Grant), id, outcome: "succeeded" }, now),
  };
}

describe("turn", () => {
  it("lets nobody overtake those who wait, whether they come to wait or not", () => {
    const { ask, finish } = service({ concurrency: 1 }, {});
    const first = ask("a1");
    ask("a2");
    finish("a1", first.decision);
    expect(ask("b1").decision).toEqual({ status: "waiting", retryAfterMs: null });
    expect(ask("c1", { waits: false }).decision).toMatchObject({ reason: "queue_full", retryAfterMs: 1_000 });
    expect(ask("a2")).toMatchObject({ decision: { status: "granted" }, wake: { id: "b1" } });
  });

  it("holds the line for a big caller at its head, and lets the small ones go when it has left", () => {
    const { ask, queue } = service({ rate: { ratePerSecond: 1, burst: 10 } }, {});
    ask("a1", { cost: 9 });
    expect(ask("a2", { cost: 10 }).decision).toEqual({ status: "waiting", retryAfterMs: 9_000 });
    expect(ask("b1").decision).toEqual({ status: "waiting", retryAfterMs: null });
    expect(ask("b1", { now: 5_000 }).decision.status).toBe("waiting");
    expect(ask("a2", { cost: 10, now: 9_000 }).decision.status).toBe("granted");
    expect(ask("b1", { now: 10_000 }).decision.status).toBe("granted");
    expect(waitingIn(queue)).toBe(0);
  });

  it("passes over a tenant that its own limits hold back, and wakes the next", () => {
    const { ask, finish } = service({ concurrency: 3 }, { concurrency: 1 });
    const [a1, b1] = [ask("a1"), ask("b1")];
    ask("a2");
    ask("b2");
    expect(ask("c1").decision.status).toBe("granted");
    finish("b1", b1.decision);
    expect(ask("b2").decision.status).toBe("granted");
    finish("a1", a1.decision);
    expect(ask("a2").decision.status).toBe("granted");
  });

  it("sheds at once when the queue is full, and leaves no trace of it", () => {
    const { ask, queue } = service({ concurrency: 1 }, {}, { max: 10, tenantMax: 10 });
    ask("a0");
    const decisions = Array.from({ length: 200 }, (_, i) => ask(`b${i}`).decision);
    expect(decisions.filter(({ status }) => status === "waiting")).toHaveLength(10);
    expect(decisions.at(-1)).toMatchObject({ reason: "queue_full", scope: "service", retryAfterMs: 30_000 });
    expect(waitingIn(queue)).toBe(10);
  });

  it("queues nobody for what waiting does not help against, and lets go those who waited", () => {
    const breaker = { failures: 1, windowMs: 1_000, resetMs: 1_000, probes: 1 };
    const { ask, queue } = service({ concurrency: 1, breaker, rate: { ratePerSecond: 1, burst: 5 } }, {});
    ask("a1");
    ask("a2");
    expect(ask("a3", { cost: 6 }).decision).toMatchObject({ reason: "cost_exceeds_burst", retryAfterMs: null });
    expect(ask("a2", { cost: 6 }).decision).toMatchObject({ reason: "cost_exceeds_burst" });
    expect(waitingIn(queue)).toBe(0);
  });
});
