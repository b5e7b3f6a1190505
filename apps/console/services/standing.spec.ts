import type { ServiceDetail, ServiceHistory } from "../api/types.js";
import { bandsOf } from "./breaker-bands.js";
import { standingOver } from "./standing.js";

const begin = Date.UTC(2026, 0, 31, 9);
const history: ServiceHistory = {
  from: new Date(begin).toISOString(),
  stepMs: 10_000,
  inFlight: [1, null, 3, 4, null],
  places: [5, null, 5, null, null],
  adaptiveLimit: [null, null, null, null, null],
  waiting: [0, null, 0, 0, null],
  breaker: ["open", null, "closed", "half_open", null],
};
const live = (inFlight: number): ServiceDetail["live"] => ({
  ...{
    inFlight,
    places: 5,
    adaptiveLimit: null,
    tokens: null,
    breaker: "open",
    holders: {},
    waiting: {},
    shared: true,
  },
});

it("goes on with what was told behind what the record has", () => {
  const samples = [29_000, 31_000, 33_000].map((ms, i) => ({ at: begin + ms, value: live(i) }));
  const rows = standingOver(history, samples);
  expect(rows.map(({ at, inFlight }) => [at - begin, inFlight])).toEqual([
    [0, 1],
    [10_000, null],
    [20_000, 3],
    [30_000, 4],
    [31_000, 1],
    [33_000, 2],
  ]);
});

it("shows when the breaker was not closed, until somebody saw it otherwise", () => {
  const rows = standingOver(
    history,
    [31_000, 33_000].map((ms) => ({ at: begin + ms, value: live(0) })),
  );
  expect(bandsOf(rows).map(({ from, to, tone }) => [from - begin, to - begin, tone])).toEqual([
    [0, 10_000, "bad"],
    [30_000, 31_000, "warned"],
    [31_000, 33_000, "bad"],
  ]);
});
