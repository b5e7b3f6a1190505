import { Books, NOON } from "../../../../test/support/book.js";
import { keyed } from "../../../../test/support/commands.js";

describe("a new job", () => {
  it("has the defaults of its tenant, and keeps them for life", () => {
    const books = new Books({ jobAllowance: { tokens: 150 } });
    const jobId = books.job();
    books.done(books.commands.configure({ change: "patch", jobAllowance: { tokens: 10 } }));
    books.hold(150, { jobId });
    expect(books.refused(books.commands.reserve(jobId, 1)).denial?.scope).toEqual({ kind: "job", id: jobId });
    expect(books.book.jobs.find(books.job())?.allowance).toEqual({ tokens: 10 });
  });

  it("may have less than the default, or as much, but not more", () => {
    const books = new Books({ allowances: { tokens: 500, calls: 10 }, jobAllowance: { tokens: 150 } });
    expect(books.done(books.commands.createJob({ allowance: { tokens: 150 } }))).toMatchObject({
      allowance: { tokens: 150 },
    });
    expect(books.done(books.commands.createJob({ allowance: { tokens: 0 } }))).toMatchObject({
      allowance: { tokens: 0 },
    });
    const refusal = books.refused(books.commands.createJob({ allowance: { tokens: 151, calls: 1 } }));
    expect(refusal).toMatchObject({ code: "validation_failed", errors: [{ pointer: "/allowance/tokens" }] });
  });

  it("may bound a unit for which there is no default, above the tenant's own limit too", () => {
    const books = new Books({ allowances: { tokens: 500, calls: 10 }, jobAllowance: { tokens: 150 } });
    const jobId = books.job({ allowance: { calls: 20 } });
    expect(books.book.jobs.find(jobId)?.allowance).toEqual({ tokens: 150, calls: 20 });
    expect(books.refused(books.commands.reserve(jobId, { calls: 11 })).denial?.scope.kind).toBe("tenant");
  });

  it("answers what it was made of", () => {
    const books = new Books();
    const fields = { jobId: "job_a", user: "ann", name: "import", labels: { team: "x" }, allowance: { tokens: 5 } };
    expect(books.done(books.commands.createJob(fields))).toEqual({
      id: "job_a",
      state: "open",
      user: "ann",
      name: "import",
      labels: { team: "x" },
      allowance: { tokens: 5 },
      depth: 1,
      createdAt: "2026-05-12T12:00:00.000Z",
    });
  });

  it("many of them are still bounded by their user and their tenant", () => {
    const books = new Books({ allowances: { tokens: 10 }, userAllowance: { tokens: 6 } });
    const admit = (user: string) => books.run(books.commands.reserve(books.job({ user }), 1)).type === "done";
    expect(Array.from({ length: 8 }, () => admit("ann")).filter(Boolean)).toHaveLength(6);
    expect(Array.from({ length: 8 }, () => admit("bob")).filter(Boolean)).toHaveLength(4);
  });
});

describe("the end of a job", () => {
  it.each(["closed", "cancelled"] as const)(
    "%s: nothing new is admitted, and what runs still settles in full",
    (state) => {
      const books = new Books({ jobAllowance: { tokens: 1_000 } });
      const jobId = books.job();
      const holds = Array.from({ length: 10 }, () => books.hold(80, { jobId }));
      expect(books.done(books.commands.endJob(jobId, state))).toMatchObject({
        state,
        closedAt: "2026-05-12T12:00:00.000Z",
      });
      expect(books.refused(books.commands.reserve(jobId, 1)).code).toBe("job_not_open");
      for (const id of holds.slice(0, 4)) books.done(books.commands.settle(id, 50));
      books.now += 60_000;
      for (const id of holds) books.done(books.commands.expire(id));
      expect(books.taken(`job:${jobId}`)).toEqual([0, 200]);
      expect(books.book.jobs.find(jobId)?.state).toBe(state);
    },
  );

  it("comes once: the same again answers the same, the other is refused", () => {
    for (const [state, other] of [
      ["closed", "cancelled"],
      ["cancelled", "closed"],
    ] as const) {
      const books = new Books();
      const jobId = books.job();
      const first = books.done(books.commands.endJob(jobId, state));
      books.now += 1_000;
      expect(books.done(books.commands.endJob(jobId, state))).toEqual(first);
      expect(books.refused(books.commands.endJob(jobId, other)).code).toBe("job_not_open");
    }
  });

  it("is journalled where somebody else than its tenant brought it about, once, and not where it changed nothing", () => {
    const books = new Books();
    const [first, second] = [books.job(), books.job()];
    const by = { actor: "operator", reason: "runs away" };
    books.done(books.commands.endJob(first));
    books.run({ ...books.commands.endJob(first, "cancelled"), by });
    for (let i = 0; i < 2; i++) books.done({ ...books.commands.endJob(second, "cancelled"), by });
    expect(books.book.changes.acts).toEqual([{ ...by, at: books.now, act: "cancel", jobId: second }]);
  });

  it("of a job that nobody made is refused", () => {
    const books = new Books();
    expect(books.refused(books.commands.endJob("job_none")).code).toBe("not_found");
  });
});

describe("a tenant that is not active", () => {
  it("suspended: admits nothing new, and goes on where it was once resumed", () => {
    const books = new Books();
    const jobId = books.job();
    const setState = (state: "active" | "suspended" | "deleted") =>
      books.done(books.commands.configure({ change: "state", state }));
    setState("suspended");
    expect(books.refused(books.commands.createJob()).code).toBe("tenant_suspended");
    expect(books.refused(books.commands.reserve(jobId, 1)).code).toBe("tenant_suspended");
    books.done(books.commands.endJob(jobId));
    setState("active");
    books.hold(1, { jobId: books.job() });
  });

  it("became so by somebody, at some time, for some reason, which is journalled where it changed anything", () => {
    const books = new Books();
    const setState = (state: "active" | "suspended" | "deleted", reason: string | null) =>
      books.done(books.commands.configure({ change: "state", state }, { actor: "ann", reason }));
    setState("active", "nothing new");
    setState("suspended", "unpaid");
    setState("suspended", "again");
    books.now += 1_000;
    setState("active", null);
    setState("deleted", "gone");
    expect(books.book.changes.acts.map(({ at, act, actor, reason }) => [at - NOON, act, actor, reason])).toEqual([
      [0, "suspend", "ann", "unpaid"],
      [1_000, "resume", "ann", null],
      [1_000, "delete", "ann", "gone"],
    ]);
  });

  it("deleted: is gone for good, and every command says so", () => {
    const books = new Books();
    const jobId = books.job();
    books.done(books.commands.configure({ change: "state", state: "deleted" }));
    const { commands } = books;
    const gone = [
      commands.createJob({ key: keyed() }),
      commands.reserve(jobId, 1),
      commands.endJob(jobId),
      commands.setLimit(5),
      commands.setUserLimit("ann", 5),
      commands.configure({ change: "state", state: "active" }),
      commands.configure({ change: "patch", name: "b" }),
    ];
    for (const command of gone) expect(books.refused(command).code).toBe("not_found");
  });
});
