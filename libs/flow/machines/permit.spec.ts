import { newGate, type Limits } from "./gate.js";
import { decidePermit, finishPermit, type Grant, type PermitAsk, type PermitState } from "./permit.js";
import { RETRY_DEFAULTS } from "./retry-budget.js";
import { tokensIn } from "./token-bucket.js";

function state(service: Limits, tenant: Limits): PermitState {
  return {
    attempts: new Map(),
    retries: new Map(),
    gates: [
      { scope: "service", gate: newGate(), limits: service },
      { scope: "tenant", gate: newGate(), limits: tenant },
    ],
  };
}

let ids = 0;
function ask(change: Partial<PermitAsk> = {}): PermitAsk {
  const id = `p${++ids}`;
  return { id, cost: 1, leaseMs: 30_000, child: id, planned: 2, known: 0, retry: RETRY_DEFAULTS, ...change };
}

const rate = { ratePerSecond: 1, burst: 10 };

describe("permit", () => {
  it.each<[string, Limits, Limits]>([
    ["the service's places", { rate, concurrency: 1 }, { rate, concurrency: 5 }],
    ["the tenant's places", { rate, concurrency: 5 }, { rate, concurrency: 1 }],
    ["the service's rate", { rate: { ratePerSecond: 1, burst: 1 }, concurrency: 5 }, { rate, concurrency: 5 }],
    ["the tenant's rate", { rate, concurrency: 5 }, { rate: { ratePerSecond: 1, burst: 1 }, concurrency: 5 }],
  ])("takes nothing anywhere when %s refuse", (_, service, tenant) => {
    const all = state(service, tenant);
    expect(decidePermit(all, ask(), 0).status).toBe("granted");
    const before = structuredClone(all);
    for (let i = 0; i < 50; i++) expect(decidePermit(all, ask(), 0).status).toBe("refused");
    expect(all).toEqual(before);
  });

  it("refuses an attempt beyond the plan for good, and counts one whose permit was lost", () => {
    const all = state({}, {});
    for (const attempt of [1, 2]) expect(decidePermit(all, ask({ child: "c" }), 0)).toMatchObject({ attempt });
    expect(decidePermit(all, ask({ child: "c" }), 3_600_000)).toEqual({
      status: "refused",
      reason: "attempts_exhausted",
      scope: "reservation",
      retryAfterMs: null,
    });
    expect(decidePermit(all, ask({ child: "d", known: 2 }), 0)).toMatchObject({ reason: "attempts_exhausted" });
  });

  it("counts attempts of a child whatever its name", () => {
    const all = state({}, {});
    for (const child of ["__proto__", "constructor"]) {
      decidePermit(all, ask({ child, planned: 1 }), 0);
      expect(decidePermit(all, ask({ child, planned: 1 }), 0)).toMatchObject({ reason: "attempts_exhausted" });
    }
  });

  it("refuses for good, and says why, what the limits never allow", () => {
    const never = (limits: Limits) => decidePermit(state({}, limits), ask({ cost: 11 }), 0);
    const refusal = { status: "refused", scope: "tenant", retryAfterMs: null };
    expect(never({ rate })).toEqual({ ...refusal, reason: "cost_exceeds_burst" });
    expect(never({ rate: { ratePerSecond: 0, burst: 20 } })).toEqual({ ...refusal, reason: "rate_limited" });
    expect(never({ concurrency: 0 })).toEqual({ ...refusal, reason: "concurrency_limited" });
  });

  it("tells the longest of several waits, and a caller that waits it is let through", () => {
    const all = state({ rate: { ratePerSecond: 1, burst: 1 } }, { rate: { ratePerSecond: 0.1, burst: 1 } });
    decidePermit(all, ask(), 0);
    expect(decidePermit(all, ask(), 0)).toMatchObject({
      reason: "rate_limited",
      scope: "tenant",
      retryAfterMs: 10_000,
    });
    expect(decidePermit(all, ask(), 9_999)).toMatchObject({ retryAfterMs: 1 });
    expect(decidePermit(all, ask(), 10_000)).toMatchObject({ status: "granted" });
  });

  it("refuses retries beyond the job's budget while first attempts go on", () => {
    const all = state({}, {});
    const retry = { ratio: 0.2, least: 0, windowMs: 10_000 };
    const granted = (child: string) => decidePermit(all, ask({ child, retry }), 0).status === "granted";
    const children = Array.from({ length: 50 }, (_, i) => `c${i}`);
    expect(children.filter(granted)).toHaveLength(50);
    expect(children.filter(granted)).toHaveLength(10);
    expect(granted("another")).toBe(true);
  });

  it("frees its places once, and tells nobody anything the second time", () => {
    const all = state({ concurrency: 3 }, { concurrency: 3, rate });
    const permit = ask();
    const grant = decidePermit(all, permit, 0) as Grant;
    const finish = () => finishPermit(all.gates, { ...grant, id: permit.id, outcome: "failed" }, 10);
    expect(finish()).toBe(true);
    expect(finish()).toBe(false);
    expect(all.gates.map(({ gate }) => gate.leases.liveAt(10))).toEqual([0, 0]);
    expect(tokensIn(all.gates[1]!.gate.bucket!, rate, 10)).toBe(9);
  });
});
