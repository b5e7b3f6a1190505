import { getEventListeners } from "node:events";
import pg from "pg";
import { Audit } from "../../apps/reconciler/tasks/audit.js";
import { COMPARE, type Comparison } from "../../apps/reconciler/tasks/audit-sql.js";
import type { Command, Ledger } from "#libs/ledger";
import { commandsOf, plan } from "../support/commands.js";
import { answerOf } from "../support/outcomes.js";
import { TestRecord } from "../support/record.js";

let record: TestRecord;
let ledger: Ledger;

beforeAll(async () => {
  record = await TestRecord.start();
  ledger = record.open();
});
afterAll(() => record.stop());

const audit = async (tenantId: string): Promise<Comparison> =>
  (await record.sql<Comparison>(COMPARE, [tenantId, 1_000]))[0]!;

/** A root, an open child and an ended one that both have charged, spent and held work, and one below the ended one. */
async function family() {
  const tenantId = await record.newTenant({ allowances: { tokens: 10_000, calls: 100 } });
  const commands = commandsOf(tenantId);
  const run = async (command: Command) => answerOf(await ledger.execute(command))["id"] as string;
  const root = await run(commands.createJob({ allowance: { tokens: 5_000 } }));
  const open = await run(commands.childOf(root, { tokens: 1_000, calls: 5 }));
  const ended = await run(commands.childOf(root, 1_000));
  const below = await run(commands.childOf(ended, 400));
  const holds: string[] = [];
  for (const jobId of [root, open, ended, below, below]) {
    const id = await run(commands.reserve(jobId, plan(4, 3, 10)));
    await run(commands.charge(id, [1, 1], 7));
    await run(commands.charge(id, [2, 1], 12, "failed"));
    holds.push(id);
  }
  await run(commands.endJob(ended, "cancelled"));
  return { tenantId, commands, run, root, open, ended, below, holds };
}

it("finds nothing where child jobs and charges are as they should be, before and after all is settled", async () => {
  const { tenantId, commands, run, root, holds } = await family();
  expect(await audit(tenantId)).toMatchObject({ differences: 0, findings: [] });
  expect(await record.taken(tenantId, `job:${root}:tokens:`)).toEqual([80 + 1_000 + 3 * 80, 4 * 19]);
  await run(commands.settle(holds[4]!, 90));
  await run(commands.release(holds[3]!));
  expect(await audit(tenantId)).toMatchObject({ differences: 0, findings: [] });
  await run(commands.endJob(root));
  for (const id of holds.slice(0, 3)) await run(commands.settle(id, 1));
  expect(await audit(tenantId)).toMatchObject({ differences: 0, findings: [] });
  expect(await record.taken(tenantId, `job:${root}:tokens:`)).toEqual([0, 5 * 19 + 90 + 3]);
  await record.expectSound();
});

it("finds a grant that is held for a child that has ended", async () => {
  const { tenantId, root, open } = await family();
  const key = (unit: string) => `job:${root}:${unit}:none`;
  await record.sql("UPDATE jobs SET state = 'closed' WHERE id = $1", [open]);
  expect((await audit(tenantId)).findings).toEqual([
    { key: key("calls"), check: "held", expected: 0, found: 5 },
    { key: key("tokens"), check: "held", expected: 5 * 80, found: 80 + 1_000 + 3 * 80 },
  ]);
});

it("finds what an ended child holds and its parent does not", async () => {
  const { tenantId, root } = await family();
  await record.sql("UPDATE balances SET reserved = reserved - 80 WHERE key = $1", [`job:${root}:tokens:none`]);
  const found = await audit(tenantId);
  expect(found.findings.map(({ key, check }) => [key, check])).toEqual([
    [`job:${root}:tokens:none`, "held"],
    [`job:${root}:tokens:none`, "reserved"],
  ]);
});

it("finds a grant that is not held for a child that is open", async () => {
  const { tenantId, root, ended } = await family();
  await record.sql("UPDATE jobs SET state = 'open' WHERE id = $1", [ended]);
  expect((await audit(tenantId)).findings).toEqual([
    {
      ...{ key: `job:${root}:tokens:none`, check: "held" },
      ...{ expected: 80 + 1_000 + 1_000, found: 80 + 1_000 + 3 * 80 },
    },
  ]);
});

it("leaves nothing at the signal that stops it, however many books it has audited", async () => {
  for (let i = 0; i < 3; i++) await record.newTenant({ allowances: { tokens: 1 } });
  const pool = new pg.Pool({ connectionString: record.database.url, max: 1 });
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const { signal } = new AbortController();
  const tally = { handled: 0, failed: 0, detail: null };
  await new Audit(pool, ledger, log, 1).run(tally, signal);
  await pool.end();
  expect(tally.handled).toBeGreaterThan(0);
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});
