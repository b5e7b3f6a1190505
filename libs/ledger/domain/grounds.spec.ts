import { Books } from "../../../test/support/book.js";
import { plan } from "../../../test/support/commands.js";
import { parseBalanceKey } from "./balance.js";
import type { Grounds } from "./grounds.js";

/** Scope kind and figures of each allowance, in order. */
const shortOf = ({ figures }: Grounds) =>
  figures.map(({ key, limit, reserved, spent, requested }) => {
    const { scope, unit } = parseBalanceKey("ten_1", key);
    return [scope.kind, unit, limit, reserved, spent, requested];
  });

describe("the grounds of a denial", () => {
  it("are all that bound it, narrowest first, as it stood then, whatever moves afterwards", () => {
    const books = new Books({
      allowances: { tokens: 500, calls: null },
      userAllowance: { tokens: 300 },
      jobAllowance: { tokens: 200 },
    });
    const jobId = books.job({ user: "ann" });
    const held = books.hold(120, { jobId });
    const { grounds, denial } = books.refused(books.commands.reserve(jobId, { tokens: 90, calls: 1 }));
    books.done(books.commands.settle(held, 50));
    expect(grounds).toMatchObject({ denial, source: "record", at: books.now, user: "ann" });
    expect(shortOf(grounds!)).toEqual([
      ["job", "tokens", 200, 120, 0, 90],
      ["job", "calls", null, 0, 0, 1],
      ["user", "tokens", 300, 120, 0, 90],
      ["user", "calls", null, 0, 0, 1],
      ["tenant", "tokens", 500, 120, 0, 90],
      ["tenant", "calls", null, 0, 0, 1],
    ]);
    expect(new Set(grounds!.figures.map(({ bookId, at }) => `${bookId} ${at}`))).toEqual(
      new Set([`${books.book.tenantId} ${books.now}`]),
    );
  });

  it("ask one child of each scope where a part would have been admitted", () => {
    const books = new Books({ allowances: { tokens: 30 } });
    const jobId = books.job();
    const ask = plan(3, 2, { tokens: 20 });
    const partial = books.refused(books.commands.reserve(jobId, ask, { admit: "partial" }));
    expect(shortOf(partial.grounds!).map((figures) => figures.at(-1))).toEqual([40, 40]);
    const whole = books.refused(books.commands.reserve(jobId, ask));
    expect(shortOf(whole.grounds!).map((figures) => figures.at(-1))).toEqual([120, 120]);
  });

  it("are told of what observe lets through, once, and are no part of the answer", () => {
    const books = new Books({ enforcement: "observe", allowances: { tokens: 100 } });
    const jobId = books.job({ allowance: { tokens: 100 } });
    const command = books.commands.reserve(jobId, 150);
    const outcome = books.run(command);
    expect(outcome).toMatchObject({ type: "done", observed: { denial: { code: "exceeds_limit", requested: 150 } } });
    expect(shortOf((outcome as { observed: Grounds }).observed)).toEqual([
      ["job", "tokens", 100, 0, 0, 150],
      ["tenant", "tokens", 100, 0, 0, 150],
    ]);
    expect(books.run(command)).not.toHaveProperty("observed");
    expect(books.run(books.commands.childOf(jobId, 20))).toMatchObject({
      observed: { figures: [{ reserved: 150, requested: 20 }] },
    });
  });
});
