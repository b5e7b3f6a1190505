import type { LedgerLog } from "#libs/ledger";
import { Troubles } from "./log.js";

it("says a trouble at once, keeps quiet about it for a minute and then says how often it came", () => {
  const said: object[] = [];
  const warn = (fields: object, message: string) => void said.push({ ...fields, message });
  const log: LedgerLog = { info: () => undefined, error: () => undefined, warn };
  let now = 0;
  const troubles = new Troubles(log, () => now);
  const error = new Error("gone");
  for (now = 0; now <= 60_000; now += 500) troubles.report("the queue is away", error);
  troubles.report("something else", error);
  expect(said).toEqual([
    { err: error, message: "the queue is away" },
    { err: error, times: 120, message: "the queue is away" },
    { err: error, message: "something else" },
  ]);
});
