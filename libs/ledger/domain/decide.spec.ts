import { bookOf, Books, snapshot } from "../../../test/support/book.js";
import { commandsOf, keyed } from "../../../test/support/commands.js";
import { NotLoaded, TenantBook } from "./book.js";
import { decide, tryDecide } from "./decide.js";

describe("an idempotency key", () => {
  it("gives the first answer again and changes nothing, whatever happened since", () => {
    const books = new Books({ allowances: { tokens: 100 } });
    const jobId = books.job();
    const key = keyed();
    const first = books.done(books.commands.reserve(jobId, 60, { key }));
    books.done(books.commands.settle(first["id"] as string, 100));
    books.done(books.commands.endJob(jobId));
    const before = snapshot(books.book);
    const again = books.run(books.commands.reserve(jobId, 60, { key }));
    expect(again).toEqual({ type: "done", answer: first, replayed: true });
    expect(snapshot(books.book)).toEqual(before);
  });

  it("binds to its request: another one under it is refused and changes nothing", () => {
    const books = new Books();
    const jobId = books.job();
    const key = keyed();
    books.hold(1, { jobId, key });
    const other = { ...key, fingerprint: "another request" };
    expect(books.refused(books.commands.reserve(jobId, 1, { key: other })).code).toBe("idempotency_key_reused");
    expect(books.refused(books.commands.createJob({ key: other })).code).toBe("idempotency_key_reused");
    expect(books.tenant()).toEqual([1, 0]);
  });

  it("keeps no refusal: the same key is decided afresh", () => {
    const books = new Books({ allowances: { tokens: 100 } });
    const jobId = books.job();
    const command = books.commands.reserve(jobId, 200);
    expect(books.refused(command).code).toBe("exceeds_limit");
    expect(books.refused({ ...command, ask: { amounts: { calls: 1 } } }).code).toBe("unit_unknown");
    books.done(books.commands.setLimit(500));
    expect(books.run(command)).toMatchObject({ type: "done", replayed: false });
    expect(books.run(command)).toMatchObject({ type: "done", replayed: true });
    expect(books.tenant()).toEqual([200, 0]);
  });

  it("has one effect for each kind of command that carries one", () => {
    const books = new Books();
    const job = books.commands.createJob();
    const adjust = books.commands.configure({ change: "adjust", unit: "tokens", delta: 7 }, { key: keyed() });
    for (const command of [job, adjust]) {
      const first = books.run(command);
      expect(books.run(command)).toEqual({ ...first, replayed: true });
    }
    expect(books.book.settings.allowances["tokens"]?.limit).toBe(1_007);
  });

  it("is its tenant's own", () => {
    const key = keyed();
    const [first, second] = [new Books(), new Books()];
    for (const books of [first, second])
      expect(books.run(books.commands.createJob({ key }))).toMatchObject({ replayed: false });
  });
});

describe("a decision on a book that lacks rows", () => {
  it("asks for each of them, changes nothing until it has them, and then decides as on a whole book", () => {
    const whole = new Books({ allowances: { tokens: 100, calls: 10 }, userAllowance: { tokens: 50 } });
    const jobId = whole.job({ user: "ann" });
    const hold = whole.commands.reserve(jobId, { tokens: 10, calls: 1 });
    const settle = whole.commands.settle(hold.reservationId, { tokens: 12, calls: 0 });
    const patch = whole.commands.configure({ change: "patch", userAllowance: { tokens: 40 } });

    const source = structuredClone({
      tenant: whole.book.tenant,
      settings: whole.book.settings,
      job: whole.book.jobs.find(jobId),
    });
    const partial = new TenantBook(whole.book.tenantId);
    const { users: user, balances: balance, keys: key, reservations: reservation } = partial;
    const tables = { user, balance, key, reservation };
    const asked: string[] = [];
    const fill = ({ wants }: NotLoaded) => {
      for (const { kind, id } of wants) {
        asked.push(kind);
        if (kind === "tenant") partial.tenant = source.tenant;
        else if (kind === "settings") partial.settings = source.settings;
        else if (kind === "job") partial.jobs.fill(id, source.job);
        else if (kind === "userBalances") partial.wholeUnits.add(id);
        else tables[kind as keyof typeof tables].fill(id, null);
      }
    };
    for (const command of [hold, settle, patch]) {
      const expected = whole.run(command);
      let result = tryDecide(partial, command, whole.now);
      while (result instanceof NotLoaded) {
        fill(result);
        result = tryDecide(partial, command, whole.now);
      }
      expect(result).toEqual(expected);
    }
    expect(new Set(asked)).toEqual(new Set(["key", "job", "tenant", "settings", "user", "balance", "userBalances"]));
    expect(partial.balances.rows.get(`user:ann:tokens:none`)).toEqual(whole.balance("user:ann:tokens"));
  });

  it("throws what is missing before anything was changed", () => {
    const { tenantId } = bookOf();
    const empty = new TenantBook(tenantId);
    expect(() => decide(empty, commandsOf(tenantId).reserve("job_1", 1, { key: null }), 0)).toThrow(NotLoaded);
    expect(empty.isChanged).toBe(false);
  });
});
