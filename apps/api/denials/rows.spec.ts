import type { Command, Grounds } from "#libs/ledger";
import { RowsOfMinute } from "./rows.js";
import type { Tallied } from "./tallied.js";

const MINUTE = 60_000;

const denials = (tenantId: string, jobId: string, count: number, at = 5 * MINUTE): Tallied => ({
  ...{ tenantId, kind: "job", scopeId: jobId, unit: "tokens", code: "exceeds_limit", service: "", jobId },
  ...{ observed: false, count, firstAt: at, command: {} as Command, grounds: { at } as Grounds },
});

const storm = (jobs: number, at?: number): Tallied[] =>
  Array.from({ length: jobs }, (_, i) => denials("ten_a", `job_${i}`, i + 1, at));

const sum = (rows: readonly { denials: Tallied }[]): number =>
  rows.reduce((all, { denials: { count } }) => all + count, 0);

describe("the rows of a minute", () => {
  it("tell the busiest of a tenant apart, count the others together, and lose none", () => {
    const rows = new RowsOfMinute().of([storm(150), [denials("ten_b", "job_0", 1)]]);
    expect(rows).toHaveLength(100 + 1 + 1);
    expect(sum(rows)).toBe((150 * 151) / 2 + 1);
    const together = rows.filter(({ denials: { jobId } }) => jobId === "");
    expect(together).toMatchObject([{ minute: 5 * MINUTE, denials: { scopeId: "", count: (50 * 51) / 2 } }]);
  });

  it("go on with what has a row in this minute, and begin anew in the next", () => {
    const rows = new RowsOfMinute();
    rows.of([storm(100)]);
    const apart = (some: readonly Tallied[]) =>
      rows.of([some]).map(({ minute, denials: { jobId } }) => [minute / MINUTE, jobId]);
    expect(apart([denials("ten_a", "job_7", 1), denials("ten_a", "job_new", 9)])).toEqual([
      [5, ""],
      [5, "job_7"],
    ]);
    expect(apart([denials("ten_a", "job_new", 9, 6 * MINUTE)])).toEqual([[6, "job_new"]]);
  });

  it("leave what was counted as it is, so that it can be counted on where it could not be written", () => {
    const counted = [denials("ten_a", "job_0", 3), denials("ten_a", "job_1", 2)];
    new RowsOfMinute().of([counted]);
    expect(counted.map(({ count }) => count)).toEqual([3, 2]);
  });
});
