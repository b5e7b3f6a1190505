import { Books, snapshot } from "../../../../test/support/book.js";
import { keyed, plan } from "../../../../test/support/commands.js";
import { MAX_AMOUNT } from "#libs/plan";

const SCOPES = ["tenant", "user", "job"] as const;
type Kind = (typeof SCOPES)[number];

/** A ledger with a limit at one scope only, and a job of user ann in it. */
function limitedAt(scope: Kind, limit: number) {
  const books = new Books({
    allowances: { tokens: scope === "tenant" ? limit : null },
    userAllowance: scope === "user" ? { tokens: limit } : {},
    jobAllowance: scope === "job" ? { tokens: limit } : {},
  });
  return { books, jobId: books.job({ user: "ann" }) };
}

describe.each(SCOPES)("a limit at the %s", (scope) => {
  it.each([1, 1_000, 99_999_999_999_999, 10 ** 14, MAX_AMOUNT])("of %p holds exactly so much", (limit) => {
    const { books, jobId } = limitedAt(scope, limit);
    if (limit < MAX_AMOUNT) {
      const refusal = books.refused(books.commands.reserve(jobId, limit + 1));
      expect(refusal).toMatchObject({
        code: "exceeds_limit",
        denial: { scope: { kind: scope }, requested: limit + 1 },
      });
    }
    books.hold(limit - 1, { jobId });
    books.hold(1, { jobId });
    expect(books.refused(books.commands.reserve(jobId, 1))).toMatchObject({
      code: "allowance_exhausted",
      denial: { available: 0 },
    });
    const id = books.hold(0, { jobId });
    expect(books.book.reservations.find(id)?.reserved).toEqual({ tokens: 0 });
    for (const start of ["tenant:", "user:ann:", `job:${jobId}:`]) expect(books.taken(start)).toEqual([limit, 0]);
  });

  it("of 0 lets nothing through, and only nothing", () => {
    const { books, jobId } = limitedAt(scope, 0);
    expect(books.refused(books.commands.reserve(jobId, 1))).toMatchObject({
      code: "exceeds_limit",
      denial: { limit: 0 },
    });
    books.hold(0, { jobId });
  });

  it("binds every job, user and window alike once it was cut to 0", () => {
    const { books, jobId } = limitedAt(scope, 500);
    books.hold(100, { jobId });
    if (scope === "tenant") books.done(books.commands.setLimit(0));
    if (scope === "user") books.done(books.commands.configure({ change: "patch", userAllowance: { tokens: 0 } }));
    if (scope === "job") books.done(books.commands.configure({ change: "patch", jobAllowance: { tokens: 0 } }));
    const next = scope === "job" ? books.job({ user: "ann" }) : jobId;
    expect(books.refused(books.commands.reserve(next, 1)).denial).toMatchObject({ scope: { kind: scope }, limit: 0 });
  });

  it("that refuses leaves nothing at the other scopes", () => {
    const { books, jobId } = limitedAt(scope, 100);
    for (let i = 0; i < 5; i += 1) books.refused(books.commands.reserve(jobId, 200));
    expect(books.book.balances.rows.size).toBe(0);
    expect(books.book.isChanged).toBe(true); // the job
    books.hold(100, { jobId });
  });
});

describe("reserving", () => {
  it("answers what a client needs to go on", () => {
    const books = new Books();
    const jobId = books.job();
    const answer = books.done(books.commands.reserve(jobId, plan(3, 2, 20), { reservationId: "rsv_a", ttlMs: 5_000 }));
    expect(answer).toEqual({
      id: "rsv_a",
      jobId,
      state: "open",
      reserved: { tokens: 120 },
      held: { tokens: 120 },
      charged: { tokens: 0 },
      plan: { children: 3, attempts: 2, attemptCost: { tokens: 20 }, admittedChildren: 3 },
      expiresAt: "2026-05-12T12:00:05.000Z",
      createdAt: "2026-05-12T12:00:00.000Z",
    });
  });

  it("takes all units or none", () => {
    const books = new Books({ allowances: { tokens: 100, calls: 1 } });
    const jobId = books.job();
    expect(books.refused(books.commands.reserve(jobId, { tokens: 50, calls: 2 })).denial).toMatchObject({
      unit: "calls",
    });
    books.hold({ tokens: 50, calls: 1 }, { jobId });
    expect([books.tenant("tokens"), books.tenant("calls")]).toEqual([
      [50, 0],
      [1, 0],
    ]);
  });

  it.each(["calls", "constructor", "has_own_property"])(
    "in %s, which the tenant has no allowance for, is unit_unknown, never free",
    (unit) => {
      const books = new Books({ allowances: { tokens: 100 } });
      const jobId = books.job();
      expect(books.refused(books.commands.reserve(jobId, { [unit]: 1 })).code).toBe("unit_unknown");
      expect(books.refused(books.commands.reserve(jobId, { tokens: 1, [unit]: 0 })).code).toBe("unit_unknown");
      expect(books.refused(books.commands.createJob({ allowance: { [unit]: 1 } })).code).toBe("unit_unknown");
      for (const change of [{ userAllowance: { [unit]: 1 } }, { jobAllowance: { [unit]: 1 } }]) {
        expect(books.refused(books.commands.configure({ change: "patch", ...change })).code).toBe("unit_unknown");
      }
      expect(books.refused(books.commands.configure({ change: "adjust", unit, delta: 1 })).code).toBe("unit_unknown");
      expect(books.refused(books.commands.setUserLimit("ann", 5, unit)).code).toBe("unit_unknown");
    },
  );

  it("counts a unit called constructor like any other", () => {
    const books = new Books({ allowances: { constructor: 5 }, userAllowance: { constructor: 4 } });
    const jobId = books.job({ user: "constructor" });
    books.hold({ constructor: 4 }, { jobId });
    expect(books.refused(books.commands.reserve(jobId, { constructor: 1 })).denial?.scope).toEqual({
      kind: "user",
      id: "constructor",
    });
  });

  it("refuses a plan whose total passes 2^53 − 1, also where limits only observe", () => {
    for (const enforcement of ["enforce", "observe"] as const) {
      const books = new Books({ enforcement, allowances: { tokens: null } });
      const jobId = books.job();
      expect(books.refused(books.commands.reserve(jobId, plan(2, 1, 2 ** 52))).code).toBe("validation_failed");
      books.hold(MAX_AMOUNT, { jobId });
      const code = enforcement === "enforce" ? "allowance_exhausted" : "validation_failed";
      expect(books.refused(books.commands.reserve(jobId, 1)).code).toBe(code);
    }
  });

  it("more than is left is refused, never cut to what is left", () => {
    const books = new Books({ allowances: { tokens: 100 } });
    const jobId = books.job();
    expect(books.refused(books.commands.reserve(jobId, 150)).denial).toMatchObject({ requested: 150, available: 100 });
    books.hold(100, { jobId });
  });

  it("for a job that nobody made, or that is over, is refused", () => {
    const books = new Books();
    expect(books.refused(books.commands.reserve("job_none", 1)).code).toBe("not_found");
    for (const state of ["closed", "cancelled"] as const) {
      const jobId = books.job();
      books.done(books.commands.endJob(jobId, state));
      expect(books.refused(books.commands.reserve(jobId, 1)).code).toBe("job_not_open");
    }
  });
});

describe("partial admission", () => {
  it("takes as many children as fit, and says how many", () => {
    const books = new Books({ allowances: { tokens: 100 } });
    const answer = books.done(books.commands.reserve(books.job(), plan(10, 2, 20), { admit: "partial" }));
    expect(answer).toMatchObject({ reserved: { tokens: 80 }, plan: { children: 10, admittedChildren: 2 } });
    expect(answer).not.toHaveProperty("wouldDeny");
    expect(books.tenant()).toEqual([80, 0]);
  });

  it("takes all where all fit, and refuses where not one does", () => {
    const books = new Books({ allowances: { tokens: 100 } });
    const jobId = books.job();
    const partial = { admit: "partial" } as const;
    expect(books.done(books.commands.reserve(jobId, plan(2, 1, 50), partial))).toMatchObject({
      plan: { admittedChildren: 2 },
    });
    const refusal = books.refused(books.commands.reserve(jobId, plan(10, 1, 1), partial));
    expect(refusal).toMatchObject({ code: "allowance_exhausted", denial: { requested: 1, maxChildren: 0 } });
    expect(books.refused(books.commands.reserve(jobId, plan(10, 1, 101), partial)).code).toBe("exceeds_limit");
  });

  it("does not cut plain amounts", () => {
    const books = new Books({ allowances: { tokens: 100 } });
    expect(books.refused(books.commands.reserve(books.job(), 150, { admit: "partial" })).code).toBe("exceeds_limit");
  });

  it("admits an advised plan: maxChildren of a denial fits at once", () => {
    const books = new Books({ allowances: { tokens: 107 }, jobAllowance: { tokens: 90 } });
    const jobId = books.job();
    const most = books.refused(books.commands.reserve(jobId, plan(10, 3, 7))).denial!.maxChildren!;
    expect(most).toBe(4);
    books.hold(plan(most, 3, 7), { jobId });
  });
});

describe("a dry run", () => {
  it("decides and changes nothing, whatever it decides", () => {
    const books = new Books({ allowances: { tokens: 100 } });
    const jobId = books.job();
    const before = snapshot(books.book);
    const dry = (ask: Parameters<typeof books.commands.reserve>[1], key = null as ReturnType<typeof keyed> | null) =>
      books.commands.reserve(jobId, ask, { dryRun: true, key });
    expect(books.done(dry(100))).toEqual({ dryRun: true, jobId, reserved: { tokens: 100 } });
    expect(books.done(dry(plan(2, 1, 50)))).toMatchObject({ plan: { admittedChildren: 2 } });
    expect(books.refused(dry(101)).code).toBe("exceeds_limit");
    expect(books.done(dry(100, keyed()))).toMatchObject({ dryRun: true });
    expect(snapshot(books.book)).toEqual(before);
  });

  it("leaves its key free for the request itself", () => {
    const books = new Books();
    const jobId = books.job();
    const key = keyed();
    books.done(books.commands.reserve(jobId, 5, { dryRun: true, key: { ...key, fingerprint: "dry" } }));
    books.hold(5, { jobId, key });
    expect(
      books.refused(books.commands.reserve(jobId, 5, { dryRun: true, key: { ...key, fingerprint: "dry" } })).code,
    ).toBe("idempotency_key_reused");
  });
});

describe("observing", () => {
  it("denies nothing and records what would have been denied", () => {
    const books = new Books({ enforcement: "observe", allowances: { tokens: 100 } });
    const jobId = books.job();
    expect(books.done(books.commands.reserve(jobId, 100))).not.toHaveProperty("wouldDeny");
    const answer = books.done(books.commands.reserve(jobId, 150));
    expect(answer).toMatchObject({
      state: "open",
      wouldDeny: { code: "exceeds_limit", scope: { kind: "tenant" }, limit: 100 },
    });
    expect(books.tenant()).toEqual([250, 0]);
    books.done(books.commands.settle(answer["id"] as string, 150));
    expect(books.tenant()).toEqual([100, 150]);
  });

  it("enforces from the moment on at which it is told to, on what was taken before", () => {
    const books = new Books({ enforcement: "observe", allowances: { tokens: 100 } });
    const jobId = books.job();
    books.hold(150, { jobId });
    books.done(books.commands.configure({ change: "patch", enforcement: "enforce" }));
    expect(books.refused(books.commands.reserve(jobId, 1)).denial).toMatchObject({ reserved: 150, available: 0 });
  });
});
