import { Audience } from "./audience.js";

const marks = (jobs: string, ledger = "0") => ({ jobs, ledger });

it("tells what moved since the look before, and once more what may not have been committed", () => {
  const [sure, early] = [new Audience(false), new Audience(true)];
  const told = (audience: Audience) => ["1", "2", "2", "2"].map((jobs, look) => audience.see(look, marks(jobs)));
  expect(told(sure)).toEqual([[], ["jobs"], [], []]);
  expect(told(early)).toEqual([[], ["jobs"], ["jobs"], []]);
});

it("knows what was told since a look, as far back as it has looked", () => {
  const audience = new Audience(false);
  expect([audience.isWatched, audience.since(5)]).toEqual([false, null]);
  audience.see(5, marks("1"));
  audience.see(6, marks("2"));
  audience.see(7, marks("2", "1"));
  expect([4, 5, 6, 7].map((look) => audience.since(look))).toEqual([null, ["jobs", "ledger"], ["ledger"], []]);
});
