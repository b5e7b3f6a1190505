import { Books } from "../../../../test/support/book.js";
import { plan } from "../../../../test/support/commands.js";
import { MAX_AMOUNT } from "#libs/plan";

/** A job of 1 000 under a tenant and a user that have more. */
function family(allowance = { tokens: 1_000 } as Record<string, number>) {
  const books = new Books({ allowances: { tokens: 5_000, calls: 50 }, userAllowance: { tokens: 4_000 } });
  const root = books.job({ user: "ann", allowance });
  const child = (parent: string, grant: number | Record<string, number>): string =>
    books.done(books.commands.childOf(parent, grant))["id"] as string;
  const job = (id: string) => books.taken(`job:${id}:tokens:`);
  const close = (id: string, state: "closed" | "cancelled" = "closed") => books.done(books.commands.endJob(id, state));
  return { books, root, child, job, close };
}

describe("a child job", () => {
  it("is granted a part of its parent's allowance, which is held there at once and nowhere else", () => {
    const { books, root, job } = family();
    const answer = books.done(books.commands.childOf(root, 300, { name: "research" }));
    expect(answer).toMatchObject({
      ...{ parentJobId: root, depth: 2, grant: { tokens: 300 }, allowance: { tokens: 300 }, user: "ann" },
      ...{ state: "open", name: "research" },
    });
    expect(job(root)).toEqual([300, 0]);
    expect(books.taken("user:")).toEqual([0, 0]);
    expect(books.tenant()).toEqual([0, 0]);
    expect(books.book.changes.entries).toMatchObject([
      { type: "grant", unit: "tokens", reserved: 300, spent: 0, jobId: root, detail: { childJobId: answer["id"] } },
    ]);
  });

  it("is granted under observe what would have been denied, and says so", () => {
    const books = new Books({ enforcement: "observe", allowances: { tokens: 5_000 } });
    const root = books.job({ allowance: { tokens: 100 } });
    expect(books.done(books.commands.childOf(root, 100))).not.toHaveProperty("wouldDeny");
    expect(books.done(books.commands.childOf(root, 30))).toMatchObject({
      grant: { tokens: 30 },
      wouldDeny: { code: "allowance_exhausted", scope: { kind: "job", id: root }, limit: 100, reserved: 100 },
    });
    expect(books.taken(`job:${root}:tokens:`)).toEqual([130, 0]);
  });

  it("cannot reach beyond its grant, nor into a unit that was not granted", () => {
    const { books, root, child } = family({ tokens: 1_000, calls: 40 });
    const id = child(root, 300);
    books.hold(plan(3, 2, 50), { jobId: id });
    expect(books.refused(books.commands.reserve(id, 1))).toMatchObject({
      code: "allowance_exhausted",
      denial: { scope: { kind: "job", id }, limit: 300, reserved: 300 },
    });
    const calls = books.refused(books.commands.reserve(id, { calls: 1 }));
    expect(calls).toMatchObject({ code: "exceeds_limit", denial: { scope: { kind: "job", id }, limit: 0 } });
  });

  it("is charged once to its user and its tenant, however deep it stands", () => {
    const { books, root, child, job } = family();
    const middle = child(root, 600);
    const leaf = child(middle, 400);
    const id = books.hold(100, { jobId: leaf });
    expect([job(root), job(middle), job(leaf)]).toEqual([
      [600, 0],
      [400, 0],
      [100, 0],
    ]);
    expect([books.taken("user:"), books.tenant()]).toEqual([
      [100, 0],
      [100, 0],
    ]);
    books.done(books.commands.settle(id, 70));
    expect([job(root), job(middle), job(leaf)]).toEqual([
      [600, 0],
      [400, 0],
      [0, 70],
    ]);
    expect([books.taken("user:"), books.tenant()]).toEqual([
      [0, 70],
      [0, 70],
    ]);
  });

  it("that does not fit into what the parent has left is refused with the parent's figures", () => {
    const { books, root, child } = family();
    child(root, 700);
    expect(books.refused(books.commands.childOf(root, 301))).toMatchObject({
      code: "allowance_exhausted",
      denial: { scope: { kind: "job", id: root }, limit: 1_000, reserved: 700, available: 300, requested: 301 },
    });
    expect(books.refused(books.commands.childOf(root, 1_001)).code).toBe("exceeds_limit");
    child(root, 300);
  });

  it("of a parent without a limit holds its grant all the same", () => {
    const { books, root, child, job } = family({});
    child(root, 3_000);
    expect(job(root)).toEqual([3_000, 0]);
    expect(books.balance(`job:${root}:`)?.limit).toBeNull();
  });

  it("is refused where the parent is over or gone, of another user, too deep, or of an unknown unit", () => {
    const { books, root, child, close } = family();
    const code = (...args: Parameters<typeof books.commands.childOf>) =>
      books.refused(books.commands.childOf(...args)).code;
    expect(code("job_none", 1)).toBe("not_found");
    expect(code(root, { dollars: 1 })).toBe("unit_unknown");
    expect(code(root, 1, { user: "bob" })).toBe("validation_failed");
    books.done(books.commands.childOf(root, 1, { user: "ann" }));
    const parent = { jobId: child(root, 10), grant: { tokens: 1 }, mostDepth: 2 };
    expect(books.refused(books.commands.createJob({ parent })).code).toBe("conflict");
    close(root);
    expect(code(root, 1)).toBe("job_not_open");
  });

  it("under observe is made whatever its parent has, and only integers end", () => {
    const books = new Books({ allowances: { tokens: 10 }, enforcement: "observe" });
    const root = books.job({ allowance: { tokens: 5 } });
    books.done(books.commands.childOf(root, MAX_AMOUNT));
    expect(books.refused(books.commands.childOf(root, 1)).code).toBe("validation_failed");
  });

  it("that runs away takes nothing from its siblings", () => {
    const { books, root, child, job } = family();
    const runaway = child(root, 500);
    const modest = child(root, 500);
    const admitted = Array.from({ length: 60 }, () => books.run(books.commands.reserve(runaway, 40))).filter(
      ({ type }) => type === "done",
    );
    expect(admitted).toHaveLength(12);
    books.hold(500, { jobId: modest });
    expect([job(runaway), job(modest), job(root)]).toEqual([
      [480, 0],
      [500, 0],
      [1_000, 0],
    ]);
  });
});

describe("the end of a child", () => {
  it("returns what it did not spend, hands over what it did, and keeps what runs", () => {
    const { books, root, child, job, close } = family();
    const id = child(root, 500);
    books.done(books.commands.settle(books.hold(100, { jobId: id }), 80));
    const running = books.hold(60, { jobId: id });
    close(id);
    expect(job(root)).toEqual([60, 80]);
    expect(books.book.changes.entries.at(-1)).toMatchObject({
      ...{ type: "return", reserved: -440, spent: 80, jobId: root, detail: { childJobId: id } },
    });
    books.done(books.commands.settle(running, 75));
    expect([job(root), job(id), books.tenant()]).toEqual([
      [0, 155],
      [0, 155],
      [0, 155],
    ]);
  });

  it.each([
    ["a late settle", (books: Books, id: string) => books.commands.settle(id, 90), 90],
    ["a charge", (books: Books, id: string) => books.commands.charge(id, [1, 1], 90), 90],
    ["a release", (books: Books, id: string) => books.commands.release(id), 0],
  ] as const)("%s after it goes up to the first job that is open", (what, command, spent) => {
    const { books, root, child, job, close } = family();
    const middle = child(root, 600);
    const leaf = child(middle, 400);
    const running = books.hold(50, { jobId: leaf });
    close(leaf);
    expect([job(root), job(middle)]).toEqual([
      [600, 0],
      [50, 0],
    ]);
    close(middle);
    expect([job(root), job(middle), job(leaf)]).toEqual([
      [50, 0],
      [50, 0],
      [50, 0],
    ]);
    if (what === "a late settle") {
      books.now += 60_000;
      books.done(books.commands.expire(running));
      expect([job(root), job(middle), job(leaf)]).toEqual([
        [0, 0],
        [0, 0],
        [0, 0],
      ]);
    }
    books.done(command(books, running));
    for (const id of [root, middle, leaf]) expect(job(id)).toEqual([0, spent]);
    expect(books.tenant()).toEqual([0, spent]);
  });

  it("brings its overage to the parent, in full, where it denies what comes next", () => {
    const { books, root, child, job, close } = family();
    const id = child(root, 100);
    books.done(books.commands.settle(books.hold(100, { jobId: id }), 1_300));
    expect(job(root)).toEqual([100, 0]);
    close(id);
    expect(job(root)).toEqual([0, 1_300]);
    expect(books.refused(books.commands.reserve(root, 1)).code).toBe("allowance_exhausted");
  });

  it("also hands over what was spent in a unit that was not granted", () => {
    const { books, root, child, close } = family();
    const id = child(root, 100);
    books.done(books.commands.settle(books.hold({ tokens: 1, calls: 0 }, { jobId: id }), { tokens: 1, calls: 2 }));
    close(id);
    expect(books.taken(`job:${root}:calls:`)).toEqual([0, 2]);
  });

  it("is refused, and changes nothing, where the parent's figures would pass 2^53 − 1", () => {
    const books = new Books({ allowances: { tokens: { limit: null, period: "hour", timeZone: "UTC" } } });
    const root = books.job();
    const id = books.done(books.commands.childOf(root, 10))["id"] as string;
    books.done(books.commands.settle(books.hold(1, { jobId: id }), MAX_AMOUNT));
    books.now += 3_600_000;
    books.done(books.commands.settle(books.hold(1, { jobId: root }), MAX_AMOUNT - 5));
    expect(books.refused(books.commands.endJob(root, "cancelled")).code).toBe("conflict");
  });
});

describe("the end of a parent", () => {
  it.each(["closed", "cancelled"] as const)("%s: reaches every descendant, and what runs may settle", (state) => {
    const { books, root, child, job, close } = family();
    const middle = child(root, 600);
    const leaves = [child(middle, 200), child(middle, 200)];
    const done = child(middle, 100);
    close(done, "closed");
    const running = books.hold(150, { jobId: leaves[0]! });
    close(root, state);
    for (const id of [root, middle, ...leaves]) expect(books.book.jobs.find(id)).toMatchObject({ state });
    expect(books.book.jobs.find(done)).toMatchObject({ state: "closed" });
    expect(books.refused(books.commands.reserve(leaves[1]!, 1)).code).toBe("job_not_open");
    expect(books.refused(books.commands.extend(running, 90_000)).code).toBe("job_not_open");
    expect(books.refused(books.commands.childOf(middle, 1)).code).toBe("job_not_open");
    expect([job(root), job(middle)]).toEqual([
      [150, 0],
      [150, 0],
    ]);
    books.done(books.commands.settle(running, 170));
    expect([job(root), job(middle), job(leaves[0]!), books.tenant()]).toEqual([
      [0, 170],
      [0, 170],
      [0, 170],
      [0, 170],
    ]);
  });

  it("twice is once, and a closed job is not cancelled", () => {
    const { books, root, child, job, close } = family();
    const id = child(root, 600);
    const first = close(root, "cancelled");
    expect(close(root, "cancelled")).toEqual(first);
    expect(close(id, "cancelled")).toMatchObject({ state: "cancelled" });
    expect(books.refused(books.commands.endJob(root, "closed")).code).toBe("job_not_open");
    expect(job(root)).toEqual([0, 0]);
  });
});
