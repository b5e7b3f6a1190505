import { setImmediate as nextTurn } from "node:timers/promises";
import pg from "pg";
import type { Command, Ledger, Outcome } from "#libs/ledger";
import { commandsOf, keyed } from "../support/commands.js";
import { answerOf, refusalOf, tally } from "../support/outcomes.js";
import { eventually, TestRecord } from "../support/record.js";

let record: TestRecord;

beforeAll(async () => {
  record = await TestRecord.start();
});

afterEach(() => record.expectSound());
afterAll(() => record.stop());

/** A tenant with these tokens, its commands, and a job in it. */
async function tenantWith(ledger: Ledger, tokens: number | null = 1_000) {
  const tenantId = await record.newTenant({ allowances: { tokens } });
  const commands = commandsOf(tenantId);
  const jobId = answerOf(await ledger.execute(commands.createJob()))["id"] as string;
  return { tenantId, commands, jobId };
}

const all = (ledger: Ledger, commands: readonly Command[]): Promise<Outcome[]> =>
  Promise.all(
    commands.map((command) => (command.type === "reserve" ? ledger.reserve(command) : ledger.execute(command))),
  );

const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

describe.each([
  ["with Redis", {}],
  ["without Redis", { redisUrl: null }],
])("the group commit %s", (_, options) => {
  let ledger: Ledger;
  beforeAll(() => (ledger = record.open(options)));

  it("admits exactly 1000 of 1001 at a limit of 1000, and says why to the one", async () => {
    const { tenantId, commands, jobId } = await tenantWith(ledger);
    const outcomes = await all(
      ledger,
      times(1_001, () => commands.reserve(jobId, 1)),
    );
    expect(tally(outcomes)).toEqual({ done: 1_000, allowance_exhausted: 1 });
    const refused = outcomes.find(({ type }) => type === "refused")!;
    expect(refusalOf(refused).denial).toMatchObject({
      scope: { kind: "tenant", id: tenantId },
      limit: 1_000,
      available: 0,
      requested: 1,
    });
    expect(await record.taken(tenantId)).toEqual([1_000, 0]);
    expect(await record.count("reservations", tenantId)).toBe(1_000);
  });

  it("gives 50 parallel requests under one key one effect and one answer", async () => {
    const { tenantId, commands, jobId } = await tenantWith(ledger);
    const key = keyed();
    const outcomes = await all(
      ledger,
      times(50, () => commands.reserve(jobId, 10, { key })),
    );
    expect(tally(outcomes)).toEqual({ done: 1, replayed: 49 });
    expect(new Set(outcomes.map((outcome) => JSON.stringify(answerOf(outcome)))).size).toBe(1);
    expect(await record.taken(tenantId)).toEqual([10, 0]);
  });

  it("refuses another request under a key in use, also at the same moment", async () => {
    const { tenantId, commands, jobId } = await tenantWith(ledger);
    const key = keyed();
    const requests = ["a", "b"].flatMap((fingerprint) =>
      times(10, () => commands.reserve(jobId, 10, { key: { ...key, fingerprint } })),
    );
    expect(tally(await all(ledger, requests))).toEqual({ done: 1, replayed: 9, idempotency_key_reused: 10 });
    expect(await record.taken(tenantId)).toEqual([10, 0]);
  });

  it("decides a refused key afresh once there is room", async () => {
    const { commands, jobId } = await tenantWith(ledger, 100);
    const command = commands.reserve(jobId, 200);
    expect(refusalOf(await ledger.reserve(command)).code).toBe("exceeds_limit");
    answerOf(await ledger.execute(commands.setLimit(500)));
    expect(await ledger.reserve(command)).toMatchObject({ type: "done", replayed: false });
  });

  it("closes a reservation once, whichever of many parallel calls comes first", async () => {
    const { tenantId, commands, jobId } = await tenantWith(ledger, 10_000);
    for (let round = 0; round < 50; round += 1) {
      const id = answerOf(await ledger.reserve(commands.reserve(jobId, 100)))["id"] as string;
      const [, before] = await record.taken(tenantId);
      const calls = [
        commands.settle(id, 60),
        commands.settle(id, 60),
        commands.settle(id, 70),
        commands.release(id),
        commands.extend(id, 90_000),
        commands.expire(id),
      ];
      const rotated = [...calls.slice(round % 6), ...calls.slice(0, round % 6)];
      await all(ledger, rotated);
      const [row] = await record.sql<{ state: string; actual: { tokens: number } | null }>(
        "SELECT state, actual FROM reservations WHERE id = $1",
        [id],
      );
      expect(["settled", "released"]).toContain(row!.state);
      expect(await record.taken(tenantId)).toEqual([0, before + (row!.actual?.tokens ?? 0)]);
    }
  });

  it("keeps limits exact while they are raised and lowered among 100 reservations", async () => {
    const { tenantId, commands, jobId } = await tenantWith(ledger, 50);
    const limits = [80, 20, 60, 40].map((limit) => commands.setLimit(limit));
    const outcomes = await all(
      ledger,
      times(104, (i) => (i % 26 === 25 ? limits[(i - 25) / 26]! : commands.reserve(jobId, 1))),
    );
    const admitted = outcomes.filter(({ type }) => type === "done").length - 4;
    expect(await record.taken(tenantId)).toEqual([admitted, 0]);
    expect(admitted).toBeLessThanOrEqual(80);
    expect((await record.balances(tenantId)).find(({ key }) => key.startsWith("tenant:"))?.limit).toBe(40);
  });

  it("answers other tenants while one is locked elsewhere, however many of its commands wait", async () => {
    const [stuck, other] = [await tenantWith(ledger), await tenantWith(ledger)];
    const elsewhere = new pg.Client({ connectionString: record.database.url });
    await elsewhere.connect();
    await elsewhere.query("BEGIN");
    await elsewhere.query("SELECT 1 FROM tenants WHERE id = $1 FOR UPDATE", [stuck.tenantId]);
    const waiting: Promise<Outcome>[] = [];
    while (waiting.length < 4) {
      waiting.push(ledger.execute(stuck.commands.reserve(stuck.jobId, 1)));
      await eventually(async () => (await record.sql("SELECT 1 FROM pg_locks WHERE NOT granted")).length > 0);
      await nextTurn();
    }
    answerOf(await ledger.execute(other.commands.reserve(other.jobId, 1)));
    await elsewhere.query("ROLLBACK");
    await elsewhere.end();
    expect(tally(await Promise.all(waiting))).toEqual({ done: 4 });
  });

  it("carries the largest amounts to the last digit", async () => {
    const { tenantId, commands, jobId } = await tenantWith(ledger, null);
    for (const amount of [99_999_999_999_999, 10 ** 14]) {
      const id = answerOf(await ledger.reserve(commands.reserve(jobId, amount)))["id"] as string;
      answerOf(await ledger.execute(commands.settle(id, amount)));
    }
    const left = Number.MAX_SAFE_INTEGER - 99_999_999_999_999 - 10 ** 14;
    expect(refusalOf(await ledger.reserve(commands.reserve(jobId, left + 1)))).toMatchObject({
      denial: { available: left, limit: null },
    });
    answerOf(await ledger.reserve(commands.reserve(jobId, left)));
    expect(await record.taken(tenantId)).toEqual([left, Number.MAX_SAFE_INTEGER - left]);
  });
});
