import { Problem } from "../problems/problem.js";
import { afterOf, cursorOf } from "./cursor.js";
import { listed, pageOf } from "./page.js";

describe("cursor", () => {
  it("leads back to the row it was made for", () => {
    const cursor = cursorOf("jobs ten_a", "42");
    expect(pageOf("jobs ten_a", { cursor, limit: "7" })).toEqual({ list: "jobs ten_a", limit: 7, after: 42n });
  });

  it("is refused by every other list", () => {
    expect(() => afterOf("jobs ten_b", cursorOf("jobs ten_a", "42"), /^\d+$/)).toThrow(Problem);
  });

  it.each([
    "",
    "a",
    "WyJqb2JzIl0",
    "!!!!",
    cursorOf("jobs", "-1"),
    cursorOf("jobs", "0"),
    cursorOf("jobs", "9".repeat(19)),
    `${cursorOf("jobs", "1")}=`,
    Buffer.from('["jobs", "1"]').toString("base64url"),
  ])("that nobody handed out is refused: %p", (cursor) => {
    expect(() => pageOf("jobs", { cursor })).toThrow(Problem);
  });
});

describe("page", () => {
  const rows = [3n, 2n, 1n].map((seq) => ({ seq }));
  const view = ({ seq }: { seq: bigint }) => ({ id: String(seq) });

  it("shows as many rows as were asked for and leads to the rest", () => {
    const page = pageOf("jobs", { limit: "2" });
    expect(listed(page, rows, view)).toEqual({ data: [{ id: "3" }, { id: "2" }], nextCursor: cursorOf("jobs", "2") });
  });

  it("is the last where nothing is left", () => {
    expect(listed(pageOf("jobs", { limit: "3" }), rows, view).nextCursor).toBeNull();
  });

  it("leads on from where a filtered search stopped, also with nothing to show", () => {
    expect(listed(pageOf("jobs", {}), [], view, 17n)).toEqual({ data: [], nextCursor: cursorOf("jobs", "17") });
  });
});
