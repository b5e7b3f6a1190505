import { placeOf, share, spanOf } from "./time-line.js";

const at = (second: number): string => new Date(second * 1_000).toISOString();
const settled = { state: "settled", createdAt: at(10), closedAt: at(20), expiresAt: at(99) } as const;
const open = { state: "open", createdAt: at(15), expiresAt: at(99) } as const;
const expired = { state: "expired", createdAt: at(12), expiresAt: at(30) } as const;

describe("the line of time of a job", () => {
  it("ends with what ended last, or now where something is open", () => {
    expect(spanOf([settled, expired], 90_000)).toEqual({ from: 10_000, to: 30_000 });
    expect(spanOf([settled, open], 50_000)).toEqual({ from: 10_000, to: 50_000 });
  });

  it("places a reservation from its beginning to its end", () => {
    const span = spanOf([settled, open], 50_000);
    expect(placeOf(settled, span, 50_000)).toEqual({ left: "0%", width: "25%" });
    expect(placeOf(open, span, 50_000)).toEqual({ left: "12.5%", width: "87.5%" });
  });

  it("keeps what a browser's wrong clock puts outside of it at its edge", () => {
    expect([share(0, { from: 5, to: 9 }), share(99, { from: 5, to: 9 })]).toEqual([0, 100]);
  });
});
