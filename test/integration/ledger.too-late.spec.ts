import { Ledger, LedgerUnavailable } from "#libs/ledger";
import { PostgresRecord } from "../../libs/ledger/postgres/index.js";
import type { RecordTransaction } from "../../libs/ledger/protocol/ports.js";
import { NODE_RUNTIME } from "../../libs/ledger/protocol/runtime.js";
import { commandsOf } from "../support/commands.js";
import { answerOf } from "../support/outcomes.js";
import { eventually, TestRecord } from "../support/record.js";

/** A record whose transactions can be kept from opening, as by a server that is stopped for a while. */
class StoppableRecord extends PostgresRecord {
  ended = 0;
  private opened = Promise.resolve();

  /** Keeps transactions waiting until the function that it returns is called. */
  stop(): () => void {
    let go = (): void => undefined;
    this.opened = new Promise((resolve) => (go = resolve));
    return go;
  }

  override async begin(...args: Parameters<PostgresRecord["begin"]>): Promise<RecordTransaction> {
    await this.opened;
    const transaction = await super.begin(...args);
    const ends = async (end: Promise<void>): Promise<void> => {
      await end.finally(() => (this.ended += 1));
    };
    return {
      now: transaction.now,
      load: (...wants) => transaction.load(...wants),
      commit: (books) => ends(transaction.commit(books)),
      rollback: () => ends(transaction.rollback()),
    };
  }
}

let record: TestRecord;
let stoppable: StoppableRecord;
let ledger: Ledger;

beforeAll(async () => {
  record = await TestRecord.start();
  const { url } = record.database;
  stoppable = new StoppableRecord({ url, timeoutMs: 5_000, batches: 2, onError: () => undefined });
  const parts = { record: stoppable, copies: null, runtime: NODE_RUNTIME, log: record.log };
  ledger = new Ledger({ ...parts, commitTimeoutMs: 200 });
});
afterAll(async () => {
  await ledger.close();
  await record.stop();
});

it("takes nothing for a command whose caller was told that the record is away, also when it comes back", async () => {
  const tenantId = await record.newTenant();
  const commands = commandsOf(tenantId);
  const jobId = answerOf(await ledger.execute(commands.createJob()))["id"] as string;
  const command = commands.reserve(jobId, 10);

  const before = stoppable.ended;
  const go = stoppable.stop();
  await expect(ledger.reserve(command)).rejects.toBeInstanceOf(LedgerUnavailable);
  go();
  await eventually(() => Promise.resolve(stoppable.ended > before));
  expect(await record.taken(tenantId)).toEqual([0, 0]);

  answerOf(await ledger.reserve(command));
  expect(await record.taken(tenantId)).toEqual([10, 0]);
});

it("still takes those of the same batch that are waited for", async () => {
  const tenantId = await record.newTenant();
  const commands = commandsOf(tenantId);
  const jobId = answerOf(await ledger.execute(commands.createJob()))["id"] as string;
  const go = stoppable.stop();
  const given = ledger.reserve(commands.reserve(jobId, 10)).catch((error: unknown) => error);
  expect(await given).toBeInstanceOf(LedgerUnavailable);
  const waited = ledger.reserve(commands.reserve(jobId, 1));
  go();
  answerOf(await waited);
  expect(await record.taken(tenantId)).toEqual([1, 0]);
});
