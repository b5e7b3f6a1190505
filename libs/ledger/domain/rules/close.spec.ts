import { Books } from "../../../../test/support/book.js";
import type { Outcome } from "../commands.js";

/** What can be done to a hold of 100. */
const ACTIONS = {
  "settle 60": ({ commands }: Books, id: string) => commands.settle(id, 60),
  "settle 70": ({ commands }: Books, id: string) => commands.settle(id, 70),
  release: ({ commands }: Books, id: string) => commands.release(id),
  expire: ({ commands }: Books, id: string) => commands.expire(id),
  extend: ({ commands }: Books, id: string) => commands.extend(id, 120_000),
};
type Action = keyof typeof ACTIONS;

/** A state, late or not; that nothing was closed; or the code of the refusal. */
function wordOf(outcome: Outcome): string {
  if (outcome.type === "refused") return outcome.refusal.code;
  const { state, late, expired } = outcome.answer as { state?: string; late?: boolean; expired?: boolean };
  if (expired !== undefined) return expired ? "expired" : "left alone";
  return late ? `${state} late` : state!;
}

interface Row {
  readonly first: Action;
  readonly then: Record<Action, string>;
}

const SETTLED = { release: "already_settled", expire: "left alone", extend: "already_settled" };
const RELEASED = "already_released";
const OPEN = {
  "settle 60": "settled",
  "settle 70": "settled",
  release: "released",
  expire: "left alone",
  extend: "open",
};

const IN_TIME: Row[] = [
  { first: "settle 60", then: { "settle 60": "settled", "settle 70": "already_settled", ...SETTLED } },
  { first: "settle 70", then: { "settle 60": "already_settled", "settle 70": "settled", ...SETTLED } },
  {
    first: "release",
    then: { "settle 60": RELEASED, "settle 70": RELEASED, release: "released", expire: "left alone", extend: RELEASED },
  },
  { first: "expire", then: OPEN },
  { first: "extend", then: OPEN },
];

const LATE = { release: "reservation_expired", extend: "reservation_expired" };
const OVERDUE: Row[] = [
  { first: "settle 60", then: { "settle 60": "settled late", "settle 70": "already_settled", ...SETTLED } },
  { first: "settle 70", then: { "settle 60": "already_settled", "settle 70": "settled late", ...SETTLED } },
  { first: "release", then: { "settle 60": "settled late", "settle 70": "settled late", expire: "expired", ...LATE } },
  {
    first: "expire",
    then: { "settle 60": "settled late", "settle 70": "settled late", expire: "left alone", ...LATE },
  },
  { first: "extend", then: { "settle 60": "settled late", "settle 70": "settled late", expire: "expired", ...LATE } },
];

const pairs = (rows: readonly Row[]) =>
  rows.flatMap(({ first, then }) =>
    Object.entries(then).map(([second, word]) => [first, second as Action, word] as const),
  );

/** What is held and spent after an action that took effect. */
const EFFECTS: Record<string, [number, number]> = { released: [0, 0], expired: [0, 0] };
function effectOf(action: Action, word: string): [number, number] | undefined {
  return word.startsWith("settled") ? [0, action === "settle 60" ? 60 : 70] : EFFECTS[word];
}

function check(first: Action, second: Action, word: string, delay: number): void {
  const books = new Books();
  const id = books.hold(100, { ttlMs: 60_000 });
  books.now += delay;
  const firstOutcome = books.run(ACTIONS[first](books, id));
  const after = books.tenant();
  const outcome = books.run(ACTIONS[second](books, id));
  expect(wordOf(outcome)).toBe(word);
  const closed = effectOf(first, wordOf(firstOutcome)) !== undefined && wordOf(firstOutcome) !== "expired";
  expect(books.tenant()).toEqual(closed ? after : (effectOf(second, word) ?? after));
  if (first === second && closed) expect(outcome).toEqual(firstOutcome);
}

describe("of two calls on one open reservation", () => {
  it.each(pairs(IN_TIME))("after %s, %s answers: %s", (first, second, word) => check(first, second, word, 0));
});

describe("of two calls on one overdue reservation", () => {
  it.each(pairs(OVERDUE))("after %s, %s answers: %s", (first, second, word) => check(first, second, word, 60_000));
});

describe("a reservation", () => {
  it("is open up to its last millisecond and overdue from its deadline on, whether or not the sweep came by", () => {
    for (const [delay, words] of [
      [59_999, ["left alone", "settled"]],
      [60_000, ["expired", "settled late"]],
    ] as const) {
      const books = new Books();
      const swept = books.hold(10, { ttlMs: 60_000 });
      const settled = books.hold(10, { ttlMs: 60_000 });
      books.now += delay;
      expect(wordOf(books.run(books.commands.expire(swept)))).toBe(words[0]);
      expect(wordOf(books.run(books.commands.settle(settled, 10)))).toBe(words[1]);
    }
  });

  it("closes once over any number of calls", () => {
    const books = new Books();
    const id = books.hold(100);
    books.now += 60_000;
    books.done(books.commands.expire(id));
    const first = books.done(books.commands.settle(id, 60));
    for (let round = 0; round < 3; round += 1) {
      expect(books.done(books.commands.settle(id, 60))).toEqual(first);
      for (const action of ["settle 70", "release", "extend"] as const) books.refused(ACTIONS[action](books, id));
      expect(books.done(books.commands.expire(id))).toEqual({ expired: false });
    }
    expect(books.tenant()).toEqual([0, 60]);
    expect(books.book.changes.entries.map(({ type, reserved, spent }) => [type, reserved, spent])).toEqual([
      ["reserve", 100, 0],
      ["expire", -100, 0],
      ["settle", 0, 60],
    ]);
  });

  it.each(["settle 60", "release", "extend", "expire"] as const)("that nobody made cannot %s", (action) => {
    const books = new Books();
    expect(books.refused(ACTIONS[action](books, "rsv_none")).code).toBe("not_found");
  });

  it("of a deleted tenant is gone for its clients, and the sweep still closes it", () => {
    const books = new Books();
    const id = books.hold(100);
    books.done(books.commands.configure({ change: "state", state: "deleted" }));
    for (const action of ["settle 60", "release", "extend"] as const) {
      expect(books.refused(ACTIONS[action](books, id)).code).toBe("not_found");
    }
    books.now += 60_000;
    expect(books.done(books.commands.expire(id))).toEqual({ expired: true });
    expect(books.tenant()).toEqual([0, 0]);
  });

  it("of a suspended tenant may settle and be released, since its cost is real, but not be extended", () => {
    const books = new Books();
    const [settled, released, extended] = [books.hold(10), books.hold(10), books.hold(10)];
    books.done(books.commands.configure({ change: "state", state: "suspended" }));
    books.done(books.commands.settle(settled, 7));
    books.done(books.commands.release(released));
    expect(books.refused(books.commands.extend(extended, 120_000)).code).toBe("tenant_suspended");
    expect(books.tenant()).toEqual([10, 7]);
  });
});
