import { balancesIn, bookOf, Books, NOON, snapshot, type WholeBooks } from "../../../../test/support/book.js";
import { commandsOf, plan } from "../../../../test/support/commands.js";
import { answerOf } from "../../../../test/support/outcomes.js";
import type { AllowanceSetting } from "../entities.js";
import { decide, serviceBookId } from "../index.js";

const SERVICE = "model";
const HOUR = 3_600_000;

/** Two tenants with plenty, and a service that binds both. */
function shared(allowances: Record<string, number | AllowanceSetting> = { tokens: 100 }) {
  const shelf: WholeBooks = new Map();
  const [first, second] = [new Books({}, shelf), new Books({}, shelf)];
  const service = bookOf({ allowances }, serviceBookId(SERVICE), shelf);
  return { first, second, service };
}

const at = { service: SERVICE };
const figures = ({ reserved, spent }: { reserved: number; spent: number } = { reserved: 0, spent: 0 }) => [
  reserved,
  spent,
];

describe("a reservation for a service", () => {
  it("is held by the service too, by that of all tenants together and exactly", () => {
    const { first, second, service } = shared();
    const id = first.hold(60, at);
    expect(second.refused(second.commands.reserve(second.job(), 41, at)).denial).toEqual({
      ...{ code: "allowance_exhausted", scope: { kind: "service", id: SERVICE }, unit: "tokens" },
      ...{ limit: 100, reserved: 60, spent: 0, available: 40, requested: 41 },
    });
    second.hold(40, at);
    expect(figures(balancesIn(service)[0])).toEqual([100, 0]);
    expect(first.book.reservations.find(id)).toMatchObject({
      service: SERVICE,
      serviceKeys: ["service:model:tokens:none"],
    });
    expect(first.tenant()).toEqual([60, 0]);
  });

  it("that is refused, at whichever scope, has changed neither book", () => {
    const { first, service } = shared({ tokens: 1_000 });
    const before = [snapshot(first.book), snapshot(service)];
    const jobId = "job_none";
    expect(first.refused(first.commands.reserve(jobId, 1, at)).code).toBe("not_found");
    expect([snapshot(first.book), snapshot(service)]).toEqual(before);
    const job = first.job();
    const there = snapshot(service);
    expect(first.refused(first.commands.reserve(job, 1_001, at)).denial?.scope.kind).toBe("tenant");
    expect(first.refused(first.commands.reserve(job, 1, { service: "nobody" })).code).toBe("service_unknown");
    expect(snapshot(service)).toEqual(there);
  });

  it("moves there with every charge, settle, release and expiry, each journalled with whose work it was", () => {
    const { first, second, service } = shared({ tokens: 1_000 });
    const charged = first.hold(plan(2, 2, 10), at);
    first.done(first.commands.charge(charged, [1, 1], 15));
    first.done(first.commands.settle(charged, 30));
    second.done(second.commands.release(second.hold(7, at)));
    const late = second.hold(9, { ...at, ttlMs: 1_000 });
    second.now += 1_000;
    second.done(second.commands.expire(late));
    second.done(second.commands.settle(late, 4));
    expect(figures(balancesIn(service)[0])).toEqual([0, 49]);
    const of = (books: Books, ...rows: unknown[][]) =>
      rows.map(([type, reserved, spent, more]) => ({
        ...{ type, reserved, spent, keys: ["service:model:tokens:none"] },
        detail: { tenantId: books.book.tenantId, ...(more as object | undefined) },
      }));
    expect(service.changes.entries).toMatchObject([
      ...of(first, ["reserve", 40, 0], ["charge", -20, 15, { child: 1, attempt: 1 }], ["settle", -20, 30]),
      ...of(second, ["reserve", 7, 0], ["release", -7, 0]),
      ...of(second, ["reserve", 9, 0], ["expire", -9, 0], ["settle", 0, 4, { late: true }]),
    ]);
  });

  it("is bound only in the units that the service has an allowance in", () => {
    const { first, service } = shared({ calls: 1 });
    first.hold(500, at);
    expect([balancesIn(service), service.changes.entries]).toEqual([[], []]);
  });

  it("counts in the service's window in which it was taken", () => {
    const { first, service } = shared({ tokens: { limit: 100, period: "hour", timeZone: "UTC" } });
    const id = first.hold(100, { ...at, ttlMs: 2 * HOUR });
    first.now = NOON + HOUR;
    first.hold(100, at);
    first.done(first.commands.settle(id, 80));
    expect(balancesIn(service).map(figures)).toEqual([
      [0, 80],
      [100, 0],
    ]);
  });
});

describe("what is set for a service", () => {
  const set = (limits: Record<string, number>) => {
    const allowances = Object.entries(limits).map(([unit, limit]) => [
      unit,
      { limit, period: "none", timeZone: "UTC" },
    ]);
    const named = Object.fromEntries(allowances) as Record<string, AllowanceSetting>;
    return commandsOf(serviceBookId(SERVICE)).configure({
      change: "service",
      allowances: named,
      flow: { concurrency: 3 },
    });
  };

  it("is replaced as a whole, with each change of a limit journalled; what was taken is found again", () => {
    const { first, service } = shared({ tokens: 100, calls: 5 });
    first.hold(70, at);
    answerOf(decide(service, set({ calls: 5 }), NOON));
    expect(Object.keys(service.settings.allowances)).toEqual(["calls"]);
    first.hold(700, at);
    answerOf(decide(service, set({ calls: 5, tokens: 80 }), NOON));
    expect(first.refused(first.commands.reserve(first.job(), 11, at)).denial).toMatchObject({
      limit: 80,
      reserved: 70,
    });
    const changes = service.changes.entries.filter(({ type }) => type === "limit").map(({ detail }) => detail);
    const by = { scope: { kind: "service", id: SERVICE }, actor: "admin", reason: null };
    expect(changes).toEqual([
      { ...by, from: 100, to: null },
      { ...by, from: undefined, to: 80 },
    ]);
    expect([service.tenant!.configVersion, service.changes.flows.get(SERVICE)]).toEqual([3, { concurrency: 3 }]);
  });

  it("is journalled from the first: its limits, and what else was set and changed, with who and why", () => {
    const shelf: WholeBooks = new Map();
    const service = bookOf({ allowances: {} }, serviceBookId(SERVICE), shelf);
    service.tenant!.configVersion = 0;
    const by = { actor: "admin", reason: "a new model" };
    answerOf(decide(service, { ...set({ tokens: 100 }), ...by }, NOON));
    answerOf(decide(service, set({ tokens: 100 }), NOON));
    const nowhere = { unit: null, reserved: 0, spent: 0, keys: [] };
    expect(service.changes.entries).toMatchObject([
      { type: "settings", ...nowhere, detail: { service: SERVICE, before: null, after: { concurrency: 3 }, ...by } },
      { type: "limit", unit: "tokens", detail: { from: undefined, to: 100, ...by } },
    ]);
    expect([balancesIn(service)[0]?.limit, service.tenant!.configVersion]).toEqual([100, 2]);
  });
});
