import { performance } from "node:perf_hooks";
import { type Ledger, LedgerUnavailable, type Outcome, type Reserve, ShuttingDown } from "#libs/ledger";
import { commandsOf } from "../support/commands.js";
import { answerOf, tally } from "../support/outcomes.js";
import { startProxy, type Proxy } from "../support/proxy.js";
import { eventually, TestRecord } from "../support/record.js";

let record: TestRecord;
let proxy: Proxy;

beforeAll(async () => {
  record = await TestRecord.start();
  proxy = await startProxy(record.database.url);
});

afterEach(async () => {
  proxy.set("open");
  await record.expectSound();
});

afterAll(async () => {
  await record.stop();
  await proxy.stop();
});

const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

/** Tenants with a job each, and reservations of 1 over all of them. */
async function work(ledger: Ledger, tenants: number, perTenant: number) {
  const made = await Promise.all(
    times(tenants, async () => {
      const tenantId = await record.newTenant({ allowances: { tokens: null } });
      const commands = commandsOf(tenantId);
      const jobId = answerOf(await ledger.execute(commands.createJob()))["id"] as string;
      return { tenantId, reserves: times(perTenant, () => commands.reserve(jobId, 1)) };
    }),
  );
  const commands = times(perTenant, (i) => made.map(({ reserves }) => reserves[i]!)).flat();
  const taken = async () =>
    (await Promise.all(made.map(({ tenantId }) => record.taken(tenantId)))).map(([reserved]) => reserved);
  return { commands, taken };
}

type Result = PromiseSettledResult<Outcome>;

/** Each is answered or LedgerUnavailable, and what was answered stands in the record. */
async function expectKept(commands: readonly Reserve[], results: readonly Result[]): Promise<void> {
  for (const result of results) {
    if (result.status === "rejected") expect(result.reason).toBeInstanceOf(LedgerUnavailable);
    else expect(result.value.type).toBe("done");
  }
  const answered = results.flatMap((result) =>
    result.status === "fulfilled" ? [answerOf(result.value)["id"] as string] : [],
  );
  const rows = await record.sql<{ id: string }>("SELECT id FROM reservations WHERE id = ANY($1)", [answered]);
  expect(rows).toHaveLength(answered.length);
  expect(results).toHaveLength(commands.length);
}

/** The same commands until each is answered: one effect a key, however often it was sent. */
async function expectOneEffectEach(
  ledger: Ledger,
  { commands, taken }: Awaited<ReturnType<typeof work>>,
  perTenant: number,
): Promise<void> {
  await eventually(async () => answerOf(await ledger.reserve(commands[0]!)));
  const again = await Promise.all(commands.map((command) => ledger.reserve(command)));
  expect(again.every(({ type }) => type === "done")).toBe(true);
  for (const reserved of await taken()) expect(reserved).toBe(perTenant);
}

describe("the record", () => {
  it("whose back-ends are terminated under traffic loses nothing that was answered, and takes nothing twice", async () => {
    const ledger = record.open({ redisUrl: null });
    const working = await work(ledger, 4, 250);
    let isOver = false;
    const killing = (async () => {
      while (!isOver) {
        await record.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND application_name = 'holdfast'`);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    })();
    const results: Result[] = [];
    for (let i = 0; i < working.commands.length; i += 50) {
      results.push(
        ...(await Promise.allSettled(working.commands.slice(i, i + 50).map((command) => ledger.reserve(command)))),
      );
    }
    isOver = true;
    await killing;
    await expectKept(working.commands, results);
    await expectOneEffectEach(ledger, working, 250);
    expect(ledger.status().record).toBe("up");
  });

  it.each(["cut", "hung", "deaf"] as const)(
    "when the way to it is %s: unavailable in bounded time, one effect a key once it is back",
    async (state) => {
      const ledger = record.open({ databaseUrl: proxy.url, redisUrl: null, commitTimeoutMs: 400 });
      const working = await work(ledger, 2, 60);
      const first = Promise.allSettled(working.commands.slice(0, 60).map((command) => ledger.reserve(command)));
      await new Promise((resolve) => setImmediate(resolve));
      proxy.set(state);
      const start = performance.now();
      const results = [
        ...(await first),
        ...(await Promise.allSettled(working.commands.slice(60).map((command) => ledger.reserve(command)))),
      ];
      expect(performance.now() - start).toBeLessThan(2 * 400 + 300);
      await expectKept(working.commands, results);
      expect(results.at(-1)!.status).toBe("rejected");
      expect(ledger.status().record).toBe("down");
      proxy.set("open");
      await expectOneEffectEach(ledger, working, 60);
      expect(ledger.status().record).toBe("up");
    },
  );

  it("that cannot be reached fails look-ups with the same error", async () => {
    const ledger = record.open({ databaseUrl: proxy.url, commitTimeoutMs: 400 });
    const commands = commandsOf(await record.newTenant());
    proxy.set("cut");
    await expect(ledger.tenant("ten_none")).rejects.toBeInstanceOf(LedgerUnavailable);
    await expect(ledger.reserve(commands.reserve("job_none", 1))).rejects.toBeInstanceOf(LedgerUnavailable);
    await expect(ledger.execute(commands.settle("rsv_none", 1))).rejects.toBeInstanceOf(LedgerUnavailable);
  });
});

describe("a ledger that closes", () => {
  it("answers what it has taken and refuses what comes after", async () => {
    const ledger = record.open();
    const { commands, taken } = await work(ledger, 1, 100);
    const running = commands.slice(0, 99).map((command) => ledger.execute(command));
    const closing = ledger.close();
    await expect(ledger.reserve(commands[99]!)).rejects.toBeInstanceOf(ShuttingDown);
    await expect(ledger.execute(commands[99]!)).rejects.toBeInstanceOf(ShuttingDown);
    expect(tally(await Promise.all(running))).toEqual({ done: 99 });
    await closing;
    expect(await taken()).toEqual([99]);
  });
});

describe("several ledgers on one record", () => {
  it("with tenants in common neither overspend nor wait for each other in a circle", async () => {
    const ledgers = [record.open(), record.open(), record.open({ redisUrl: null })];
    const tenants = await Promise.all(
      times(6, async (i) => {
        const tenantId = await record.newTenant({ allowances: { tokens: 100 + i }, userAllowance: { tokens: 70 } });
        const commands = commandsOf(tenantId);
        const jobs = await Promise.all(
          ["ann", "bob"].map(
            async (user) => answerOf(await ledgers[0]!.execute(commands.createJob({ user })))["id"] as string,
          ),
        );
        return { tenantId, commands, jobs };
      }),
    );
    const asks = times(900, (i) => {
      const { commands, jobs } = tenants[(i * 7) % 6]!;
      return ledgers[i % 3]!.reserve(commands.reserve(jobs[Math.floor(i / 6) % 2]!, 1));
    });
    const outcomes = await Promise.all(asks);
    for (const [i, { tenantId }] of tenants.entries()) expect(await record.taken(tenantId)).toEqual([100 + i, 0]);
    expect(outcomes.filter(({ type }) => type === "done")).toHaveLength(6 * 100 + 15);
    expect(record.log.lines.filter(({ level }) => level === "error")).toEqual([]);
  });
});
