import { Ledger } from "#libs/ledger";
import { PostgresRecord } from "../../libs/ledger/postgres/index.js";
import type { RecordStore, RecordTransaction } from "../../libs/ledger/protocol/ports.js";
import { NODE_RUNTIME } from "../../libs/ledger/protocol/runtime.js";
import { commandsOf } from "../support/commands.js";
import { answerOf, tally } from "../support/outcomes.js";
import { TestRecord } from "../support/record.js";

let record: TestRecord;

beforeAll(async () => {
  record = await TestRecord.start();
});

afterAll(() => record.stop());

const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

describe("a command that cannot be decided", () => {
  it("fails alone: its neighbours in the batch are answered", async () => {
    const ledger = record.open({ redisUrl: null });
    const tenantId = await record.newTenant();
    const commands = commandsOf(tenantId);
    const jobId = answerOf(await ledger.execute(commands.createJob()))["id"] as string;
    const [poisoned, sound] = await Promise.all(
      times(2, async () => {
        const job = answerOf(await ledger.execute(commands.createJob({ allowance: { tokens: 100 } })))["id"] as string;
        return answerOf(await ledger.reserve(commands.reserve(job, 10)))["id"] as string;
      }),
    );
    await record.sql(`DELETE FROM balances WHERE key = (SELECT keys[1] FROM reservations WHERE id = $1)`, [poisoned]);

    const results = await Promise.allSettled([
      ...times(20, () => ledger.reserve(commands.reserve(jobId, 1))),
      ledger.execute(commands.settle(poisoned!, 10)),
      ledger.execute(commands.settle(sound!, 10)),
      ...times(20, () => ledger.reserve(commands.reserve(jobId, 1))),
    ]);
    expect(results.flatMap(({ status }, i) => (status === "rejected" ? [i] : []))).toEqual([20]);
    expect((results[20] as PromiseRejectedResult).reason).toMatchObject({
      message: expect.stringContaining("missing balance"),
    });
    expect(await record.taken(tenantId)).toEqual([50, 10]);
    expect(record.log.lines.filter(({ level }) => level === "error")).toHaveLength(1);
    await record.sql("DELETE FROM tenants WHERE id = $1", [tenantId]);
    for (const table of ["reservations", "balances", "ledger_entries"])
      await record.sql(`DELETE FROM ${table} WHERE tenant_id = $1`, [tenantId]);
  });

  it("that names a tenant, a job or a reservation that nobody made is refused, not failed", async () => {
    const ledger = record.open({ redisUrl: null });
    const tenantId = await record.newTenant();
    const [nobody, somebody] = [commandsOf("ten_none"), commandsOf(tenantId)];
    const outcomes = await Promise.all([
      ledger.reserve(nobody.reserve("job_none", 1)),
      ledger.execute(nobody.createJob()),
      ledger.execute(nobody.setLimit(1)),
      ledger.reserve(somebody.reserve("job_none", 1)),
      ledger.execute(somebody.settle("rsv_none", 1)),
      ledger.execute(somebody.expire("rsv_none")),
      ledger.execute(somebody.endJob("job_none")),
    ]);
    expect(tally(outcomes)).toEqual({ not_found: 7 });
  });
});

type Books = Parameters<RecordTransaction["commit"]>[0];

interface Meddling {
  before?(books: Books): Promise<unknown>;
  after?(): Promise<unknown>;
}

/** A record with whose next commit somebody meddles, once: after the decision, or after what it has committed. */
function meddled(store: RecordStore, { before, after }: Meddling): RecordStore {
  let isDue = true;
  return new Proxy(store, {
    get(target, name) {
      if (name === "begin") {
        return async (...args: Parameters<RecordStore["begin"]>): Promise<RecordTransaction> => {
          const transaction = await target.begin(...args);
          const commit = transaction.commit.bind(transaction);
          transaction.commit = async (books) => {
            const meddles = isDue;
            isDue = false;
            if (meddles) await before?.(books);
            await commit(books);
            if (meddles) await after?.();
          };
          return transaction;
        };
      }
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}

/** A tenant of 100 tokens of which 40 are held, and a ledger whose next commit is meddled with. */
async function meddling({
  before,
  after,
}: {
  before?(tenantId: string, books: Books): Promise<unknown>;
  after?(): Promise<unknown>;
}) {
  const tenantId = await record.newTenant({ allowances: { tokens: 100, calls: 5 } });
  const commands = commandsOf(tenantId);
  const usual = record.open({ redisUrl: null });
  const jobId = answerOf(await usual.execute(commands.createJob()))["id"] as string;
  const id = answerOf(await usual.reserve(commands.reserve(jobId, 40)))["id"] as string;
  const store = new PostgresRecord({
    url: record.database.url,
    timeoutMs: 5_000,
    batches: 2,
    onError: () => undefined,
  });
  const ledger = new Ledger({
    record: meddled(store, {
      ...(before && { before: (books: Books) => before(tenantId, books) }),
      ...(after && { after }),
    }),
    copies: null,
    runtime: NODE_RUNTIME,
    log: record.log,
    commitTimeoutMs: 5_000,
  });
  return { tenantId, commands, jobId, id, ledger };
}

describe("the belt", () => {
  const bump = (tenantId: string) =>
    record.sql(`UPDATE balances SET version = version + 1 WHERE tenant_id = $1 AND key LIKE 'tenant:%'`, [tenantId]);
  const remove = (tenantId: string) =>
    record.sql(`DELETE FROM balances WHERE tenant_id = $1 AND key LIKE 'tenant:%'`, [tenantId]);
  /** As rules would that forgot a limit. */
  const overspend = async (_: string, books: Books) => {
    for (const book of books.values())
      for (const { balance } of book.changes.balances.values()) balance.reserved += 1_000;
  };

  it.each([
    ["has another version", bump, { tokens: 10 }],
    ["has gone", remove, { tokens: 10 }],
    ["would be over its limit", overspend, { tokens: 10 }],
    ["is new and would be over its limit", overspend, { calls: 1 }],
  ])(
    "undoes a batch whose row %s at the commit, and alarms: nothing moved at any scope",
    async (_, meddle, amounts) => {
      const { tenantId, commands, jobId, ledger } = await meddling({ before: meddle });
      const figures = async () => [
        await record.taken(tenantId, "job:"),
        await record.count("reservations", tenantId),
        await record.count("ledger_entries", tenantId),
      ];
      const before = await figures();
      record.log.lines.length = 0;
      await expect(ledger.reserve(commands.reserve(jobId, amounts))).rejects.toMatchObject({ code: "HF001" });
      expect(await figures()).toEqual(before);
      expect(record.log.lines).toMatchObject([
        { level: "error", message: "a command failed", fields: { command: "reserve" } },
      ]);
      await ledger.close();
    },
  );

  it("undoes the whole batch, whose commands are then each decided on what is there", async () => {
    const { tenantId, commands, jobId, ledger } = await meddling({ before: bump });
    const outcomes = await Promise.all(times(10, () => ledger.reserve(commands.reserve(jobId, 10))));
    expect(tally(outcomes)).toEqual({ done: 6, allowance_exhausted: 4 });
    expect(await record.taken(tenantId)).toEqual([100, 0]);
    await ledger.close();
  });
});

describe("a commit whose reply is lost", () => {
  const lose = () => Promise.reject(new Error("Connection terminated unexpectedly"));

  it("is found again, not repeated: each command has one effect and its answer", async () => {
    const { tenantId, commands, jobId, id, ledger } = await meddling({ after: lose });
    const outcomes = await Promise.all([
      ...times(5, () => ledger.reserve(commands.reserve(jobId, 10))),
      ledger.execute(commands.settle(id, 30)),
      ledger.execute(commands.createJob()),
    ]);
    expect(outcomes.every(({ type }) => type === "done")).toBe(true);
    expect(answerOf(outcomes[5]!)).toMatchObject({ state: "settled", actual: { tokens: 30 } });
    expect(await record.taken(tenantId)).toEqual([50, 30]);
    expect(await record.count("reservations", tenantId)).toBe(6);
    expect(await record.count("jobs", tenantId)).toBe(2);
    await ledger.close();
  });
});
