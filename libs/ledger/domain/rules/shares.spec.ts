import { bookOf, Books, NOON, snapshot, type BookSettings, type WholeBooks } from "../../../../test/support/book.js";
import { plan } from "../../../../test/support/commands.js";
import type { AllowanceSetting, TenantChange } from "../index.js";
import { serviceBookId } from "../index.js";

const SERVICE = "model";
const HOUR = 3_600_000;
const at = { service: SERVICE };

/** A tenant with a share of a service, and another one without; the service and both tenants have plenty. */
function shared(
  share: Record<string, number | AllowanceSetting> = { tokens: 100 },
  { service = 10_000, ...settings }: BookSettings & { service?: number } = {},
) {
  const shelf: WholeBooks = new Map();
  const first = new Books(
    { allowances: { tokens: 5_000, calls: 5_000 }, ...settings, shares: { [SERVICE]: share } },
    shelf,
  );
  const second = new Books({}, shelf);
  const scope = { kind: "service", id: SERVICE, tenantId: first.book.tenantId } as const;
  return { first, second, scope, all: bookOf({ allowances: { tokens: service } }, serviceBookId(SERVICE), shelf) };
}

const share = (books: Books, window = "none") => books.taken(`service:${SERVICE}:tokens:${window}`);

describe("a tenant's share of a service", () => {
  it("binds its own work there, exactly, while another tenant goes on", () => {
    const { first, second, scope } = shared();
    first.hold(60, at);
    expect(first.refused(first.commands.reserve(first.job(), 41, at)).denial).toEqual({
      ...{ code: "allowance_exhausted", scope, unit: "tokens" },
      ...{ limit: 100, reserved: 60, spent: 0, available: 40, requested: 41 },
    });
    first.hold(40, at);
    second.hold(700, at);
    expect([share(first), first.tenant()]).toEqual([
      [100, 0],
      [100, 0],
    ]);
  });

  it("says in a sentence whose it is", () => {
    const { first } = shared();
    const { detail } = first.refused(first.commands.reserve(first.job(), 101, at));
    expect(detail).toBe(
      `101 tokens can never fit: the allowance of tenant ${first.book.tenantId} at service ${SERVICE} is 100.`,
    );
  });

  it("is asked after the user and before the tenant, and that before the service", () => {
    const { first, scope } = shared(
      { tokens: 10 },
      { service: 10, allowances: { tokens: 10 }, userAllowance: { tokens: 20 } },
    );
    const user = "ann";
    const denied = () => first.refused(first.commands.reserve(first.job({ user }), 5, at)).denial?.scope;
    first.hold(7, { ...at, jobId: first.job({ user }) });
    expect(denied()).toEqual(scope);
    first.done(first.commands.setUserLimit(user, 8));
    expect(denied()).toEqual({ kind: "user", id: user });
    first.done(first.commands.setUserLimit(user, null));
    set(first, { tokens: 1_000 });
    expect(denied()).toEqual({ kind: "tenant", id: first.book.tenantId });
    first.done(first.commands.setLimit(1_000));
    expect(denied()).toEqual({ kind: "service", id: SERVICE });
  });

  it("binds reservations that name the service, in the units that it names, and no others", () => {
    const { first } = shared({ calls: 1 });
    first.hold({ tokens: 500, calls: 1 }, at);
    first.hold({ tokens: 500, calls: 900 });
    expect(first.refused(first.commands.reserve(first.job(), { calls: 1 }, at)).code).toBe("allowance_exhausted");
  });

  it("admits in part what fits it, says how much would, and is left alone by a dry run", () => {
    const { first } = shared();
    const ask = plan(9, 1, 30);
    expect(first.refused(first.commands.reserve(first.job(), ask, at)).denial).toMatchObject({ maxChildren: 3 });
    expect(first.refused(first.commands.reserve(first.job(), ask, { ...at, dryRun: true })).code).toBe("exceeds_limit");
    first.done(first.commands.reserve(first.job(), plan(3, 1, 30), { ...at, dryRun: true }));
    expect(share(first)).toEqual([0, 0]);
    first.hold(ask, { ...at, admit: "partial" });
    expect(share(first)).toEqual([90, 0]);
  });

  it("is only counted where the tenant observes, and the denial recorded", () => {
    const { first, scope } = shared({ tokens: 100 }, { enforcement: "observe" });
    const job = first.job();
    expect(first.done(first.commands.reserve(job, 150, at))["wouldDeny"]).toMatchObject({ scope, requested: 150 });
    expect(share(first)).toEqual([150, 0]);
  });

  it("binds the work of a child job in full, whatever was granted to it", () => {
    const { first, scope } = shared();
    const parent = first.job({ allowance: { tokens: 500 } });
    const child = first.done(first.commands.childOf(parent, 400))["id"] as string;
    expect(first.refused(first.commands.reserve(child, 101, at)).denial?.scope).toEqual(scope);
    first.hold(100, { ...at, jobId: child });
    expect(share(first)).toEqual([100, 0]);
  });

  it("moves with every charge, settle, release and expiry, in the window of its own in which it was taken", () => {
    const { first } = shared({ tokens: { limit: 100, period: "hour", timeZone: "UTC" } });
    const [then, later] = ["hour@2026-05-12T12:00:00.000Z", "hour@2026-05-12T13:00:00.000Z"];
    const charged = first.hold(plan(2, 2, 10), { ...at, ttlMs: 2 * HOUR });
    const overdue = first.hold(30, at);
    first.done(first.commands.release(first.hold(20, at)));
    first.now = NOON + HOUR;
    first.done(first.commands.expire(overdue));
    first.done(first.commands.charge(charged, [1, 1], 15));
    first.hold(100, at);
    expect([share(first, then), share(first, later)]).toEqual([
      [20, 15],
      [100, 0],
    ]);
    first.done(first.commands.settle(charged, 200));
    first.done(first.commands.settle(overdue, 4));
    expect([share(first, then), share(first, later)]).toEqual([
      [0, 219],
      [100, 0],
    ]);
  });
});

type Share = Extract<TenantChange, { change: "share" }>;

function change(limits: Record<string, number>, flow: object | null = {}, service = SERVICE): Share {
  const units = Object.entries(limits).map(([unit, limit]) => [unit, { limit, period: "none", timeZone: "UTC" }]);
  return { change: "share", service, allowances: Object.fromEntries(units) as Share["allowances"], flow };
}

function set(books: Books, ...of: Parameters<typeof change>): void {
  books.done(books.commands.configure(change(...of), { reason: "why" }));
}

describe("what is set for a tenant at a service", () => {
  const journal = ({ book }: Books) =>
    book.changes.entries
      .filter(({ type }) => type === "limit" || type === "settings")
      .map(({ type, unit, keys, detail }) => ({ type, unit, keys, detail }));

  it("is replaced as a whole, with each change journalled; what was taken is found again", () => {
    const { first, scope } = shared({ tokens: 100, calls: 5 });
    first.hold(70, at);
    set(first, { calls: 5 }, { concurrency: 2, breaker: { failures: 1, probes: 2 } });
    expect(first.book.settings.shares[SERVICE]).toEqual({ calls: { limit: 5, period: "none", timeZone: "UTC" } });
    first.hold(700, at);
    set(first, { calls: 5, tokens: 80 }, { breaker: { probes: 2, failures: 1 }, concurrency: 2 });
    expect(first.refused(first.commands.reserve(first.job(), 11, at)).denial).toMatchObject({
      limit: 80,
      reserved: 70,
    });
    set(first, {}, null);
    expect(first.book.settings.shares).toEqual({});
    first.hold(700, at);
    const by = { actor: "admin", reason: "why" };
    const key = `service:${SERVICE}:tokens:none`;
    const flow = { concurrency: 2, breaker: { failures: 1, probes: 2 } };
    const limit = (from: number | undefined, to: number | null, unit = "tokens") => ({
      ...{ type: "limit", unit, keys: [key.replace("tokens", unit)], detail: { scope, from, to, ...by } },
    });
    const settings = (before: object | null, after: object | null) => ({
      ...{ type: "settings", unit: null, keys: [], detail: { service: SERVICE, before, after, ...by } },
    });
    expect(journal(first)).toEqual([
      ...[settings(null, flow), limit(100, null)],
      ...[limit(undefined, 80)],
      ...[settings(flow, null), limit(5, null, "calls"), limit(80, null)],
    ]);
  });

  it("tells copies of the settings where an allowance changed, and only there", () => {
    const { first } = shared();
    const version = () => first.book.tenant!.configVersion;
    set(first, { tokens: 100 }, { concurrency: 1 });
    expect(version()).toBe(1);
    set(first, { tokens: 101 }, { concurrency: 1 });
    expect(version()).toBe(2);
    set(first, { tokens: 101 }, { concurrency: 1 });
    expect([version(), journal(first).length]).toEqual([2, 2]);
  });

  it.each<[string, Share, string]>([
    ["for a service that there is not", change({ tokens: 1 }, {}, "nobody"), "not_found"],
    ["in a unit that the tenant has no allowance in", change({ pages: 1 }), "unit_unknown"],
    ["by taking away what is not set", change({}, null), "not_found"],
  ])("is refused and changes nothing %s", (_, wrong, code) => {
    const { first } = shared();
    const before = snapshot(first.book);
    expect(first.refused(first.commands.configure(wrong)).code).toBe(code);
    expect(snapshot(first.book)).toEqual(before);
  });

  it("is nothing at a service that was only named", () => {
    const { first, all } = shared();
    all.tenant!.configVersion = 0;
    expect(first.refused(first.commands.configure(change({ tokens: 1 }))).code).toBe("not_found");
    expect(first.refused(first.commands.reserve(first.job(), 1, at)).code).toBe("service_unknown");
  });
});
