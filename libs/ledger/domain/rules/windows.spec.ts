import { TenantBook } from "../book.js";
import { decide } from "../decide.js";

const NOON = Date.UTC(2026, 4, 12, 12);
const DAY = 86_400_000;

function bookOf(state: "active" | "deleted" = "active"): TenantBook {
  const book = new TenantBook("ten_1", true);
  book.tenant = {
    id: "ten_1",
    name: "a",
    enforcement: "enforce",
    state,
    configVersion: 1,
    createdAt: 0,
    deletedAt: null,
  };
  book.settings = {
    allowances: {
      tokens: { limit: 500, period: "day", timeZone: "UTC" },
      calls: { limit: null, period: "month", timeZone: "Asia/Kolkata" },
      units: { limit: 9, period: "none", timeZone: "UTC" },
    },
    shares: { model: { tokens: { limit: 40, period: "hour", timeZone: "UTC" } } },
    userAllowance: {},
    jobAllowance: {},
  };
  return book;
}

const openAt = (book: TenantBook, now: number) => decide(book, { type: "openWindows", tenantId: "ten_1" }, now);

describe("opening windows", () => {
  it("opens the current window of each allowance, and each share of a service, with a period, at exactly its limit and with nothing taken", () => {
    const book = bookOf();
    expect(openAt(book, NOON)).toMatchObject({ type: "done", answer: { opened: 3 } });
    const rows = [...book.balances.rows.values()].map((row) => [row!.key, row!.limit, row!.reserved, row!.spent]);
    expect(rows).toEqual([
      ["tenant:ten_1:tokens:day@2026-05-12T00:00:00.000Z", 500, 0, 0],
      ["tenant:ten_1:calls:month@2026-04-30T18:30:00.000Z", null, 0, 0],
      ["service:model:tokens:hour@2026-05-12T12:00:00.000Z", 40, 0, 0],
    ]);
  });

  it("changes nothing where the windows are open, and opens the next one when they have ended", () => {
    const book = bookOf();
    openAt(book, NOON);
    const versions = () => [...book.balances.rows.values()].map((row) => row!.version);
    expect(openAt(book, NOON + 1)).toMatchObject({ answer: { opened: 0 } });
    expect(versions()).toEqual([1, 1, 1]);
    expect(openAt(book, NOON + DAY)).toMatchObject({ answer: { opened: 2 } });
    expect(versions()).toEqual([1, 1, 1, 1, 1]);
  });

  it("refuses a deleted tenant", () => {
    const book = bookOf("deleted");
    expect(openAt(book, NOON)).toMatchObject({ type: "refused", refusal: { code: "not_found" } });
    expect(book.isChanged).toBe(false);
  });
});
