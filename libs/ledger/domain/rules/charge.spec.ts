import { Books } from "../../../../test/support/book.js";
import { keyed, plan } from "../../../../test/support/commands.js";
import { MAX_AMOUNT } from "#libs/plan";
import type { Charge } from "../commands.js";
import type { EndedPermit } from "../entities.js";

/** 4 children with 3 attempts of 10 each, at a job and a user as well. */
function planned(children = 4, attempts = 3) {
  const books = new Books({ jobAllowance: { tokens: 900 }, userAllowance: { tokens: 950 } });
  const jobId = books.job({ user: "ann" });
  const id = books.hold(plan(children, attempts, 10), { jobId });
  const charge = (place: [number, number], actual: number, outcome: Charge["outcome"] = "succeeded") =>
    books.done(books.commands.charge(id, place, actual, outcome));
  const refused = (place: [number, number], actual = 1, outcome: Charge["outcome"] = "succeeded") =>
    books.refused(books.commands.charge(id, place, actual, outcome)).code;
  return { books, jobId, id, charge, refused };
}

describe("a charge against a plan", () => {
  it("moves what an attempt used to spent at every scope, and gives back what a success does not need any more", () => {
    const { books, jobId, id, charge } = planned();
    expect(charge([1, 1], 8)).toEqual({
      reservationId: id,
      ...{ child: 1, attempt: 1, outcome: "succeeded", actual: { tokens: 8 } },
      ...{ released: { tokens: 22 }, overage: { tokens: 0 }, late: false, at: "2026-05-12T12:00:00.000Z" },
    });
    for (const start of ["tenant:", "user:ann:", `job:${jobId}:`]) expect(books.taken(start)).toEqual([90, 8]);
    expect(books.book.reservations.find(id)).toMatchObject({ held: { tokens: 90 }, charged: { tokens: 8 } });
  });

  it("of an attempt that failed keeps what its further attempts need", () => {
    const { books, charge } = planned();
    charge([1, 1], 8, "failed");
    expect(books.tenant()).toEqual([110, 8]);
    charge([1, 2], 9, "failed");
    expect(books.tenant()).toEqual([100, 17]);
    charge([1, 3], 9, "succeeded");
    expect(books.tenant()).toEqual([90, 26]);
  });

  it("may come out of order: what is skipped stays held until the end", () => {
    const { books, id, charge } = planned();
    charge([2, 3], 10, "failed");
    charge([2, 1], 10, "failed");
    expect(books.tenant()).toEqual([100, 20]);
    books.done(books.commands.release(id));
    expect(books.tenant()).toEqual([0, 20]);
  });

  it("books what is above the cost of an attempt in full, and never gives back more than is held", () => {
    const { books, charge } = planned(1, 2);
    expect(charge([1, 1], 70)).toMatchObject({ released: { tokens: 0 }, overage: { tokens: 50 } });
    expect(books.tenant()).toEqual([0, 70]);
  });

  it("in parts of 30 comes to the same as one of 90", () => {
    for (const parts of [[30, 30, 30], [90]]) {
      const books = new Books({ allowances: { tokens: 100 } });
      const id = books.hold(50);
      parts.forEach((actual, i) => books.done(books.commands.charge(id, [1, i + 1], actual)));
      expect(books.tenant()).toEqual([0, 90]);
      const answer = books.done(books.commands.settle(id, 0));
      expect(answer).toMatchObject({ released: { tokens: 0 }, overage: { tokens: 40 }, charged: { tokens: 90 } });
    }
  });

  it("beyond the plan is refused, and so is a further attempt of a child that has succeeded", () => {
    const { charge, refused } = planned();
    expect(refused([5, 1])).toBe("attempts_exhausted");
    expect(refused([4, 4])).toBe("attempts_exhausted");
    charge([1, 2], 5);
    expect(refused([1, 3])).toBe("attempts_exhausted");
  });

  it("of what had started before its child succeeded is a fact: booked, and nothing more comes back for it", () => {
    const { books, id, charge } = planned();
    charge([1, 2], 5);
    expect(books.tenant()).toEqual([90, 5]);
    charge([1, 1], 3, "succeeded");
    const permit: EndedPermit = { id: "att_1", outcome: "failed" };
    books.done({ ...books.commands.charge(id, [1, 3], 7, "failed"), permit });
    expect(books.tenant()).toEqual([90, 15]);
    for (const child of [2, 3, 4]) charge([child, 1], 1);
    expect(books.tenant()).toEqual([0, 18]);
  });

  it("counts the children that were admitted, not those that were asked for", () => {
    const books = new Books({ allowances: { tokens: 70 } });
    const id = books.hold(plan(5, 3, 10), { admit: "partial" });
    books.done(books.commands.charge(id, [2, 3], 1));
    expect(books.refused(books.commands.charge(id, [3, 1], 1)).code).toBe("attempts_exhausted");
  });

  it("has one effect: the same facts answer the same, under any key and after the end, and others are refused", () => {
    const { books, id, charge, refused } = planned();
    const first = charge([1, 1], 8, "failed");
    expect(charge([1, 1], 8, "failed")).toEqual(first);
    expect(refused([1, 1], 9, "failed")).toBe("conflict");
    expect(refused([1, 1], 8, "succeeded")).toBe("conflict");
    const command = books.commands.charge(id, [1, 2], 3, "succeeded", keyed("K"));
    expect(books.run(command)).toMatchObject({ type: "done", replayed: false });
    expect(books.run(command)).toMatchObject({ type: "done", replayed: true });
    expect(books.tenant()).toEqual([90, 11]);
    books.done(books.commands.settle(id, 0));
    expect(charge([1, 1], 8, "failed")).toEqual(first);
    expect(refused([2, 1])).toBe("already_settled");
    expect(books.tenant()).toEqual([0, 11]);
  });

  it("of two units gives back both", () => {
    const books = new Books({ allowances: { tokens: 1_000, calls: 100 } });
    const id = books.hold(plan(2, 2, { tokens: 50, calls: 1 }));
    books.done(books.commands.charge(id, [1, 1], { tokens: 20, calls: 3 }));
    expect(books.tenant()).toEqual([100, 20]);
    expect(books.tenant("calls")).toEqual([2, 3]);
    expect(books.refused(books.commands.charge(id, [2, 1], { tokens: 1 }))).toMatchObject({
      code: "validation_failed",
      errors: [{ pointer: "/actual/calls" }],
    });
  });
});

describe("a charge against plain amounts", () => {
  it("takes what is used from one pool, for any child and attempt, each once", () => {
    const books = new Books();
    const id = books.hold(100);
    books.done(books.commands.charge(id, [7, 3], 30));
    books.done(books.commands.charge(id, [7, 4], 30, "failed"));
    expect(books.tenant()).toEqual([40, 60]);
    books.done(books.commands.charge(id, [MAX_AMOUNT, MAX_AMOUNT], 50));
    expect(books.tenant()).toEqual([0, 110]);
    expect(books.refused(books.commands.charge(id, [7, 3], 31)).code).toBe("conflict");
  });
});

describe("the end of a reservation with charges", () => {
  it("settled: the rest is closed with what was used besides", () => {
    const { books, id, charge } = planned();
    charge([1, 1], 8);
    charge([2, 1], 12, "failed");
    expect(books.done(books.commands.settle(id, 40))).toMatchObject({
      ...{ state: "settled", actual: { tokens: 40 }, charged: { tokens: 20 }, held: { tokens: 0 } },
      ...{ released: { tokens: 60 }, overage: { tokens: 0 } },
    });
    expect(books.tenant()).toEqual([0, 60]);
  });

  it("after the deadline a charge is booked in full, once, and late, before and after the sweep", () => {
    const { books, id, charge } = planned();
    charge([1, 1], 8);
    books.now += 60_000;
    expect(charge([2, 1], 10)).toMatchObject({ late: true });
    expect(books.tenant()).toEqual([60, 18]);
    books.done(books.commands.expire(id));
    expect(books.tenant()).toEqual([0, 18]);
    expect(charge([3, 1], 10)).toMatchObject({ late: true, released: { tokens: 0 }, overage: { tokens: 10 } });
    expect(charge([3, 1], 10)).toMatchObject({ late: true });
    expect(books.tenant()).toEqual([0, 28]);
    expect(books.done(books.commands.settle(id, 5))).toMatchObject({ state: "settled", late: true });
    expect(books.tenant()).toEqual([0, 33]);
  });

  it("released: nothing can be charged any more, and what was charged stays spent", () => {
    const { books, id, charge, refused } = planned();
    charge([1, 1], 8);
    books.done(books.commands.release(id));
    expect(refused([2, 1])).toBe("already_released");
    expect(books.tenant()).toEqual([0, 8]);
  });
});

describe("a charge that ends a permit", () => {
  it("is told again only for the same permit that ended in the same way", () => {
    const { books, id } = planned();
    const end = (permit: EndedPermit | null, actual = 8): Charge => ({
      ...books.commands.charge(id, [1, 1], actual, "failed"),
      ...{ permit, key: null },
    });
    const first = { id: "att_1", outcome: "overloaded" };
    const answer = books.done(end(first));
    expect(books.done(end(first))).toEqual(answer);
    // Whoever charges the place by hand knows of no permit.
    expect(books.done(end(null))).toEqual(answer);
    for (const other of [end({ ...first, outcome: "failed" }), end({ ...first, id: "att_2" }), end(first, 9)])
      expect(books.refused(other).code).toBe("conflict");
    expect(books.tenant()).toEqual([110, 8]);
  });
});

describe("what a charge writes", () => {
  it("one entry a unit, with the child and the attempt", () => {
    const { books, id, charge } = planned();
    charge([1, 1], 8);
    books.now += 60_000;
    charge([2, 2], 3, "failed");
    const entries = books.book.changes.entries.filter(({ type }) => type === "charge");
    expect(entries).toMatchObject([
      { reservationId: id, reserved: -30, spent: 8, detail: { child: 1, attempt: 1 } },
      { reservationId: id, reserved: -10, spent: 3, detail: { child: 2, attempt: 2, late: true } },
    ]);
    expect(entries[0]!.detail).toEqual({ child: 1, attempt: 1 });
  });

  it("nothing where a balance would pass 2^53 − 1, or the reservation is not there", () => {
    const books = new Books({ allowances: { tokens: null } });
    const id = books.hold(10);
    books.done(books.commands.charge(id, [1, 1], MAX_AMOUNT - 5));
    expect(books.refused(books.commands.charge(id, [1, 2], 6)).code).toBe("validation_failed");
    books.done(books.commands.charge(id, [1, 2], 5));
    expect(books.tenant()).toEqual([0, MAX_AMOUNT]);
    expect(books.refused(books.commands.charge("rsv_none", [1, 1], 1)).code).toBe("not_found");
  });
});
