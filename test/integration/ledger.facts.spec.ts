import { serviceBookId } from "#libs/ledger";
import { commandsOf } from "../support/commands.js";
import { answerOf } from "../support/outcomes.js";
import { TestRecord } from "../support/record.js";

let record: TestRecord;

beforeAll(async () => {
  record = await TestRecord.start();
});

afterEach(() => record.expectSound());
afterAll(() => record.stop());

describe("what a process knows of a reservation", () => {
  it("moves the same balances as what another one reads, also after the job has handed its own to the one above", async () => {
    // A process that made the reservation, one that finds it, and one that comes when all is over.
    const [made, found, late] = [record.open(), record.open(), record.open()];
    const service = await record.newService({ tokens: 1_000 });
    const tenantId = await record.newTenant({ allowances: { tokens: 1_000 } });
    const commands = commandsOf(tenantId);
    const above = answerOf(await made.execute(commands.createJob()))["id"] as string;
    const jobId = answerOf(await made.execute(commands.childOf(above, 100)))["id"] as string;
    const id = answerOf(await made.reserve(commands.reserve(jobId, 60, { service })))["id"] as string;
    answerOf(await made.execute(commands.charge(id, [1, 1], 1)));
    answerOf(await found.execute(commands.charge(id, [2, 1], 2)));
    expect(await record.taken(tenantId, `job:${above}:`)).toEqual([100, 0]);
    answerOf(await late.execute(commands.endJob(jobId)));
    // Now the job above holds it.
    answerOf(await made.execute(commands.charge(id, [3, 1], 4)));
    answerOf(await found.execute(commands.charge(id, [4, 1], 8)));
    expect(await record.taken(tenantId, `job:${above}:`)).toEqual([45, 15]);
    const settled = await Promise.all([made, found, late].map((ledger) => ledger.execute(commands.settle(id, 16))));
    expect(settled.map(answerOf)).toEqual(Array.from({ length: 3 }, () => answerOf(settled[0]!)));
    expect(answerOf(settled[0]!)).toMatchObject({ state: "settled", actual: { tokens: 16 }, charged: { tokens: 15 } });
    for (const [book, scope] of [
      [tenantId, `job:${above}:`],
      [tenantId, "tenant:"],
      [serviceBookId(service), "service:"],
    ] as const)
      expect(await record.taken(book, scope)).toEqual([0, 31]);
  });
});
