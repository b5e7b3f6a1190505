import { Books } from "../../../../test/support/book.js";
import { MAX_AMOUNT } from "#libs/plan";

const WIDE = 10_000;
/** A ledger in which exactly one scope has 100 tokens, and what its balance is called. */
function tightAt(scope: "tenant" | "user" | "job", limit = 100) {
  const books = new Books({
    allowances: { tokens: scope === "tenant" ? limit : WIDE },
    userAllowance: { tokens: scope === "user" ? limit : WIDE },
    jobAllowance: { tokens: scope === "job" ? limit : WIDE },
  });
  const jobId = books.job({ user: "ann" });
  return { books, jobId, key: { tenant: "tenant:", user: "user:ann:", job: `job:${jobId}:` }[scope] };
}

describe.each(["tenant", "user", "job"] as const)("settling above the hold where the %s is tight", (scope) => {
  it("books all of it at every scope, frees the hold, and denies what comes next until the limit rises", () => {
    const { books, jobId, key } = tightAt(scope);
    const answer = books.done(books.commands.settle(books.hold(50, { jobId }), 180));
    expect(answer).toMatchObject({
      state: "settled",
      actual: { tokens: 180 },
      released: { tokens: 0 },
      overage: { tokens: 130 },
      late: false,
    });
    for (const start of ["tenant:", "user:ann:", `job:${jobId}:`]) expect(books.taken(start)).toEqual([0, 180]);
    const refusal = books.refused(books.commands.reserve(jobId, 1));
    expect(refusal).toMatchObject({
      code: "allowance_exhausted",
      denial: { scope: { kind: scope }, limit: 100, spent: 180, available: 0 },
    });
    expect(books.balance(key)?.limit).toBe(100);
  });
});

describe("settling", () => {
  it("admits again exactly when the limit is raised over what was spent", () => {
    const { books, jobId } = tightAt("tenant");
    books.done(books.commands.settle(books.hold(50, { jobId }), 180));
    books.done(books.commands.setLimit(180));
    expect(books.refused(books.commands.reserve(jobId, 1)).code).toBe("allowance_exhausted");
    books.done(books.commands.setLimit(181));
    books.hold(1, { jobId });
  });

  it("returns what was not used at once", () => {
    const books = new Books({ allowances: { tokens: 100 } });
    const jobId = books.job();
    const answer = books.done(books.commands.settle(books.hold(100, { jobId }), 60));
    expect(answer).toMatchObject({ released: { tokens: 40 }, overage: { tokens: 0 } });
    books.hold(40, { jobId });
    expect(books.refused(books.commands.reserve(jobId, 1)).code).toBe("allowance_exhausted");
  });

  it("takes 0 as a fact: nothing was spent", () => {
    const books = new Books();
    expect(books.done(books.commands.settle(books.hold(100), 0))).toMatchObject({
      state: "settled",
      actual: { tokens: 0 },
    });
    expect(books.tenant()).toEqual([0, 0]);
  });

  it("ten times a tenth leaves exactly nothing, and denies the eleventh", () => {
    const books = new Books({ allowances: { usd_micros: 1_000_000 } });
    const jobId = books.job();
    for (let i = 0; i < 10; i += 1) {
      const id = books.hold({ usd_micros: 100_000 }, { jobId });
      books.done(books.commands.settle(id, { usd_micros: 100_000 }));
    }
    expect(books.tenant("usd_micros")).toEqual([0, 1_000_000]);
    expect(books.refused(books.commands.reserve(jobId, { usd_micros: 1 })).denial).toMatchObject({ available: 0 });
  });

  it("wants every unit that was reserved and no other, and changes nothing otherwise", () => {
    const books = new Books({ allowances: { tokens: 100, calls: 10, constructor: 5 } });
    const id = books.hold({ tokens: 50, calls: 1 });
    expect(books.refused(books.commands.settle(id, { tokens: 50 })).errors).toEqual([
      { pointer: "/actual/calls", message: "must name every unit that was reserved" },
    ]);
    expect(books.refused(books.commands.settle(id, { tokens: 50, calls: 1, constructor: 1 })).errors).toEqual([
      { pointer: "/actual/constructor", message: "was not reserved" },
    ]);
    expect(books.refused(books.commands.settle(id, {})).errors).toHaveLength(2);
    books.done(books.commands.settle(id, { calls: 2, tokens: 0 }));
    expect([books.tenant("tokens"), books.tenant("calls")]).toEqual([
      [0, 0],
      [0, 2],
    ]);
  });

  it("belongs to the window in which it was taken, however late it comes", () => {
    const books = new Books({ allowances: { tokens: { limit: 100, period: "hour", timeZone: "UTC" } } });
    const jobId = books.job();
    const id = books.hold(80, { jobId, ttlMs: 7_200_000 });
    books.now += 3_600_000;
    books.hold(100, { jobId });
    books.done(books.commands.settle(id, 90));
    const windows = ["hour@2026-05-12T12:00:00.000Z", "hour@2026-05-12T13:00:00.000Z"];
    expect(windows.map((window) => books.taken(`tenant:${books.book.tenantId}:tokens:${window}`))).toEqual([
      [0, 90],
      [100, 0],
    ]);
  });

  it("is booked late, in full and once, after the sweep gave the hold to others", () => {
    const books = new Books({ allowances: { tokens: 100 } });
    const jobId = books.job();
    const late = books.hold(100, { jobId });
    books.now += 60_000;
    books.done(books.commands.expire(late));
    books.hold(100, { jobId });
    expect(books.done(books.commands.settle(late, 70))).toMatchObject({ late: true, actual: { tokens: 70 } });
    expect(books.tenant()).toEqual([100, 70]);
  });
});

describe("where integers end", () => {
  it.each([99_999_999_999_999, 10 ** 14, MAX_AMOUNT])("books %p to the last digit", (amount) => {
    const books = new Books({ allowances: { tokens: amount } });
    books.done(books.commands.settle(books.hold(amount), amount));
    expect(books.tenant()).toEqual([0, amount]);
  });

  it("refuses a fact that no figure could hold, and keeps the hold", () => {
    const books = new Books({ allowances: { tokens: null } });
    books.done(books.commands.settle(books.hold(1), MAX_AMOUNT - 10));
    const id = books.hold(5);
    expect(books.refused(books.commands.settle(id, 11)).code).toBe("validation_failed");
    books.done(books.commands.settle(id, 10));
    expect(books.tenant()).toEqual([0, MAX_AMOUNT]);
  });

  it("books a fact also where it and what others hold together pass 2^53 − 1", () => {
    const books = new Books({ allowances: { tokens: MAX_AMOUNT } });
    const jobId = books.job();
    books.hold(MAX_AMOUNT - 10, { jobId });
    books.done(books.commands.settle(books.hold(10, { jobId }), 1_000));
    expect(books.tenant()).toEqual([MAX_AMOUNT - 10, 1_000]);
    expect(books.refused(books.commands.reserve(jobId, 0)).denial).toMatchObject({ available: 0 });
  });
});
