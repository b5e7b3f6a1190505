import { commandsOf } from "../support/commands.js";
import { answerOf, refusalOf, wordOf } from "../support/outcomes.js";
import { TestRecord } from "../support/record.js";

describe("the record's clock", () => {
  it("decides which window it is, also for a process whose own clock is behind", async () => {
    const clocked = await TestRecord.start();
    const tenantId = await clocked.newTenant({
      allowances: { tokens: { limit: 100, period: "hour", timeZone: "UTC" } },
    });
    const commands = commandsOf(tenantId);
    const first = clocked.open();
    const jobId = answerOf(await first.execute(commands.createJob()))["id"] as string;
    answerOf(await first.reserve(commands.reserve(jobId, 100)));
    refusalOf(await first.reserve(commands.reserve(jobId, 1)));
    // By the record it is the next hour. The copies of this one are full and fresh, and the new process believes in it.
    await clocked.setClock(Date.now() + 3_600_000);
    expect(wordOf(await clocked.open().reserve(commands.reserve(jobId, 100)))).toBe("done");
    await clocked.expectSound();
    await clocked.stop();
  });
});
