import fc from "fast-check";
import type { Ledger } from "#libs/ledger";
import { TestRecord } from "../support/record.js";
import { settings, stepsOf } from "./steps.js";
import { World } from "./world.js";

let record: TestRecord;
let ledgers: [Ledger, Ledger];

beforeAll(async () => {
  record = await TestRecord.start();
  ledgers = [record.open(), record.open()];
});

afterAll(() => record.stop());

describe("a ledger on PostgreSQL and Redis", () => {
  it("answers every command as the bare rules do on a book in memory, and ends with the same rows", async () => {
    await fc.assert(
      fc.asyncProperty(settings, stepsOf(10, 40), async (tenants, run) => {
        const world = await World.start(record, ledgers, tenants);
        for (const step of run) await world.run(step);
        await world.expectSame();
      }),
      { numRuns: 60, interruptAfterTimeLimit: 15_000 },
    );
  });
});
