import { Books } from "../../../../test/support/book.js";
import { MAX_AMOUNT } from "#libs/plan";
import type { Period } from "../window.js";

const DAY = 86_400_000;
const setAllowance = (books: Books, limit: number | null, period: Period, timeZone = "UTC") =>
  books.done(books.commands.configure({ change: "allowance", unit: "tokens", limit, period, timeZone }));
const setDefault = (books: Books, limit: number | null) =>
  books.done(books.commands.configure({ change: "patch", userAllowance: { tokens: limit } }));
const limitOf = (books: Books, jobId: string) => books.refused(books.commands.reserve(jobId, 10_000)).denial?.limit;

describe("a limit lowered below what is used", () => {
  it("leaves nothing available, denies what comes, and lets what is held settle", () => {
    const books = new Books({ allowances: { tokens: 1_000 } });
    const jobId = books.job();
    books.done(books.commands.settle(books.hold(300, { jobId }), 300));
    const id = books.hold(400, { jobId });
    const answer = books.done(books.commands.setLimit(500));
    expect(answer).toMatchObject({
      limit: 500,
      balance: { limit: 500, spent: 300, reserved: 400, available: 0, overage: 200 },
    });
    expect(books.refused(books.commands.reserve(jobId, 1)).denial).toMatchObject({ limit: 500, available: 0 });
    books.done(books.commands.settle(id, 100));
    expect(books.tenant()).toEqual([0, 400]);
    books.hold(100, { jobId });
    expect(books.refused(books.commands.reserve(jobId, 1)).denial).toMatchObject({ available: 0 });
  });
});

describe("a tenant's allowance", () => {
  it("is journalled with who, why, from what and to what", () => {
    const books = new Books({ allowances: { tokens: 100 } });
    const change = { change: "allowance", unit: "tokens", limit: 200, period: "none", timeZone: "UTC" } as const;
    books.done(books.commands.configure(change, { actor: "operator", reason: "more" }));
    books.done(books.commands.configure({ ...change, limit: null }));
    books.done(books.commands.configure({ ...change, unit: "calls" }));
    const scope = { kind: "tenant", id: books.book.tenantId };
    expect(books.book.changes.entries.map(({ type, unit, detail }) => [type, unit, detail])).toEqual([
      ["limit", "tokens", { scope, from: 100, to: 200, actor: "operator", reason: "more" }],
      ["limit", "tokens", { scope, from: 200, to: null, actor: "admin", reason: null }],
      ["limit", "calls", { scope, from: undefined, to: 200, actor: "admin", reason: null }],
    ]);
  });

  it("set to what it is changes nothing and answers the same", () => {
    const books = new Books();
    const first = setAllowance(books, 500, "day");
    const { configVersion } = books.book.tenant!;
    expect(setAllowance(books, 500, "day")).toEqual(first);
    expect(books.book.changes.entries).toHaveLength(1);
    expect(books.book.tenant?.configVersion).toBe(configVersion);
  });

  it("of a period starts each window at exactly its limit, at the zone's own midnight", () => {
    const books = new Books();
    setAllowance(books, 100, "day", "Asia/Kolkata");
    const jobId = books.job();
    books.now = Date.parse("2026-05-12T18:29:59.999Z");
    books.hold(100, { jobId });
    expect(books.refused(books.commands.reserve(jobId, 1)).code).toBe("allowance_exhausted");
    books.now += 1;
    books.hold(100, { jobId });
    expect(books.refused(books.commands.reserve(jobId, 1)).code).toBe("allowance_exhausted");
  });

  it("changed in one window binds the following ones", () => {
    const books = new Books();
    setAllowance(books, 100, "day");
    const jobId = books.job();
    books.hold(100, { jobId });
    setAllowance(books, 150, "day");
    books.hold(50, { jobId });
    books.now += DAY;
    books.hold(150, { jobId });
    expect(books.refused(books.commands.reserve(jobId, 1)).denial).toMatchObject({ limit: 150 });
  });

  it("cut to 0 and lifted to unlimited binds at once", () => {
    const books = new Books({ allowances: { tokens: 500 } });
    const jobId = books.job();
    expect(books.done(books.commands.setLimit(0))).toMatchObject({ limit: 0 });
    expect(limitOf(books, jobId)).toBe(0);
    expect(books.done(books.commands.setLimit(null))).toMatchObject({
      limit: "unlimited",
      balance: { limit: "unlimited", overage: 0 },
    });
    books.hold(MAX_AMOUNT, { jobId });
  });
});

describe("an adjustment", () => {
  const adjust = (books: Books, delta: number) => books.commands.configure({ change: "adjust", unit: "tokens", delta });

  it("tops up and cuts by exactly so much, down to 0 and up to the largest amount", () => {
    const books = new Books({ allowances: { tokens: 100 } });
    expect(books.done(adjust(books, 50))).toMatchObject({ limit: 150 });
    expect(books.done(adjust(books, -150))).toMatchObject({ limit: 0 });
    expect(books.done(adjust(books, MAX_AMOUNT))).toMatchObject({ limit: MAX_AMOUNT });
  });

  it("beyond what can be is refused and changes nothing", () => {
    const books = new Books({ allowances: { tokens: 100 } });
    for (const delta of [-101, MAX_AMOUNT - 99, MAX_AMOUNT])
      expect(books.refused(adjust(books, delta)).code).toBe("conflict");
    books.done(books.commands.setLimit(null));
    expect(books.refused(adjust(books, 1)).code).toBe("conflict");
  });

  it("keeps the period, and what was taken in it", () => {
    const books = new Books({ allowances: { tokens: { limit: 100, period: "day", timeZone: "Asia/Kolkata" } } });
    books.hold(30);
    expect(books.done(adjust(books, 50))).toMatchObject({
      period: "day",
      timeZone: "Asia/Kolkata",
      balance: { limit: 150, reserved: 30 },
    });
  });
});

describe("the default of users", () => {
  it("binds from the first request, and its change reaches users that are known, each with what they took", () => {
    const books = new Books({ userAllowance: { tokens: 50 } });
    const [ann, bob] = [books.job({ user: "ann" }), books.job({ user: "bob" })];
    books.hold(40, { jobId: ann });
    expect(limitOf(books, bob)).toBe(50);
    setDefault(books, 30);
    expect([limitOf(books, ann), limitOf(books, bob)]).toEqual([30, 30]);
    expect(books.balance("user:ann:")).toMatchObject({ limit: 30, reserved: 40 });
    setDefault(books, 60);
    books.hold(20, { jobId: ann });
    expect(books.refused(books.commands.reserve(ann, 1)).denial?.scope.kind).toBe("user");
  });

  it("does not reach a user with a limit of its own", () => {
    const books = new Books({ userAllowance: { tokens: 50 } });
    const [ann, bob] = [books.job({ user: "ann" }), books.job({ user: "bob" })];
    books.done(books.commands.setUserLimit("ann", 80));
    for (const jobId of [ann, bob]) books.hold(10, { jobId });
    setDefault(books, 20);
    expect([limitOf(books, ann), limitOf(books, bob)]).toEqual([80, 20]);
  });

  it("taken away leaves users to the tenant's limit, and leaves the defaults of other units", () => {
    const books = new Books({ allowances: { tokens: 1_000, calls: 10 }, userAllowance: { tokens: 50, calls: 5 } });
    const ann = books.job({ user: "ann" });
    books.hold({ tokens: 10, calls: 1 }, { jobId: ann });
    setDefault(books, null);
    expect(books.refused(books.commands.reserve(ann, 1_001)).denial?.scope.kind).toBe("tenant");
    expect(books.refused(books.commands.reserve(ann, { calls: 5 })).denial).toMatchObject({
      scope: { kind: "user" },
      limit: 5,
    });
  });
});

describe("a user's own limit", () => {
  it("may be above or below the default, unlimited or 0", () => {
    const books = new Books({ userAllowance: { tokens: 50 } });
    const ann = books.job({ user: "ann" });
    for (const limit of [80, 20, 0, null]) {
      expect(books.done(books.commands.setUserLimit("ann", limit))).toMatchObject({
        user: "ann",
        limit: limit ?? "unlimited",
      });
      if (limit !== null) expect(limitOf(books, ann)).toBe(limit);
    }
    books.hold(1_000, { jobId: ann });
  });

  it("counts in the tenant's windows, unless it has a period of its own", () => {
    const books = new Books({ allowances: { tokens: { limit: 1_000, period: "day", timeZone: "UTC" } } });
    const own = (user: string, period: Period | null) =>
      books.done(
        books.commands.configure({
          change: "userAllowance",
          user,
          unit: "tokens",
          setting: { limit: 10, period, timeZone: period && "UTC" },
        }),
      );
    own("ann", null);
    own("bob", "month");
    const [ann, bob] = [books.job({ user: "ann" }), books.job({ user: "bob" })];
    for (const jobId of [ann, bob]) books.hold(10, { jobId });
    books.now += DAY;
    books.hold(10, { jobId: ann });
    expect(books.refused(books.commands.reserve(bob, 1)).denial?.scope).toEqual({ kind: "user", id: "bob" });
  });

  it("taken away leaves the user to the default, or to the tenant's limit alone, in the tenant's windows", () => {
    const books = new Books({
      allowances: { tokens: { limit: 1_000, period: "day", timeZone: "UTC" } },
      userAllowance: { tokens: 50 },
    });
    const setting = { limit: 10, period: "month", timeZone: "UTC" } as const;
    const ann = books.job({ user: "ann" });
    books.done(books.commands.configure({ change: "userAllowance", user: "ann", unit: "tokens", setting }));
    books.hold(10, { jobId: ann });
    const away = books.done(books.commands.takeUserLimit("ann"));
    expect(away).toMatchObject({ user: "ann", limit: 50, period: null, timeZone: null, balance: { limit: 50 } });
    expect(books.book.changes.entries.at(-1)).toMatchObject({ type: "limit", detail: { from: 10, to: 50 } });
    expect(books.book.users.find("ann")).toEqual({});
    // What it took before counts in the month of its own.
    expect(limitOf(books, ann)).toBe(50);
    setDefault(books, null);
    books.hold(900, { jobId: ann });
  });

  it("that there is not is taken away without a trace", () => {
    const books = new Books({ userAllowance: { tokens: 50 } });
    expect(books.done(books.commands.takeUserLimit("ann"))).toMatchObject({ limit: 50, balance: { limit: 50 } });
    expect(books.book.changes.entries).toEqual([]);
    expect(books.refused(books.commands.takeUserLimit("ann", "pages")).code).toBe("unit_unknown");
  });

  it("set to what it is changes nothing and answers the same", () => {
    const books = new Books();
    const first = books.done(books.commands.setUserLimit("ann", 5));
    expect(books.done(books.commands.setUserLimit("ann", 5))).toEqual(first);
    expect(books.book.changes.entries).toHaveLength(1);
  });
});

describe("users of a tenant that changes its period and changes it back", () => {
  it("are bound by what is set for them by then, not by what was set when the window was left", () => {
    const books = new Books({ userAllowance: { tokens: 100 } });
    const [ann, bob] = [books.job({ user: "ann" }), books.job({ user: "bob" })];
    for (const jobId of [ann, bob]) books.hold(10, { jobId });
    setAllowance(books, 1_000, "day");
    setDefault(books, 50);
    books.done(books.commands.setUserLimit("bob", 70));
    expect([limitOf(books, ann), limitOf(books, bob)]).toEqual([50, 70]);
    setAllowance(books, 1_000, "none");
    expect([limitOf(books, ann), limitOf(books, bob)]).toEqual([50, 70]);
    expect(books.balance("user:ann:tokens:none")).toMatchObject({ limit: 50, reserved: 10 });
  });
});

describe("the tenant itself", () => {
  it("changes only what a patch names", () => {
    const books = new Books({ userAllowance: { tokens: 50 }, jobAllowance: { tokens: 20 } });
    const patch = (change: object) => books.done(books.commands.configure({ change: "patch", ...change }));
    expect(patch({ name: "b" })).toMatchObject({
      name: "b",
      enforcement: "enforce",
      userAllowance: { tokens: 50 },
      jobAllowance: { tokens: 20 },
    });
    expect(patch({ enforcement: "observe" })).toMatchObject({ name: "b", enforcement: "observe" });
    expect(patch({ jobAllowance: { tokens: null } })).toMatchObject({
      userAllowance: { tokens: 50 },
      jobAllowance: {},
    });
  });

  it("keeps its history when it is deleted, and is then gone", () => {
    const books = new Books();
    books.hold(5);
    const answer = books.done(books.commands.configure({ change: "state", state: "deleted" }));
    expect(answer).toMatchObject({ state: "deleted", deletedAt: "2026-05-12T12:00:00.000Z" });
    expect(books.tenant()).toEqual([5, 0]);
  });
});
