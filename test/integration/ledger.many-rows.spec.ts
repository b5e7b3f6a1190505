import type { Command, Ledger } from "#libs/ledger";
import { PERIODS, windowAt } from "../../libs/ledger/domain/window.js";
import "../../libs/ledger/postgres/record.js";
import { STATEMENTS } from "../../libs/ledger/postgres/sql.js";
import { commandsOf } from "../support/commands.js";
import { answerOf } from "../support/outcomes.js";
import { TestRecord } from "../support/record.js";

let record: TestRecord;
let ledger: Ledger;

beforeAll(async () => {
  record = await TestRecord.start();
  ledger = record.open({ commitTimeoutMs: 60_000 });
});
afterEach(() => record.expectSound());
afterAll(() => record.stop());

/** The shortest of three times, milliseconds. */
async function timed(command: Command): Promise<number> {
  const times: number[] = [];
  while (times.length < 3) {
    const start = performance.now();
    answerOf(await ledger.execute(command));
    times.push(performance.now() - start);
  }
  return Math.min(...times);
}

it.each([
  ["ends a tree of thousands of jobs in some units at once", 4, { state: "cancelled" }],
  ["refuses what could not be decided in time: in more units it is to be ended in parts", 16, "conflict"],
])("%s", async (_, count, expected) => {
  const units = Array.from({ length: count }, (_unit, i) => [`unit_${i}`, 1_000] as const);
  const tenantId = await record.newTenant({ allowances: Object.fromEntries(units) });
  const commands = commandsOf(tenantId);
  const root = answerOf(await ledger.execute(commands.createJob()))["id"] as string;
  await record.sql(
    `INSERT INTO jobs (tenant_id, id, labels, allowance, state, parent_id, ancestors, created_at)
     SELECT $1, 'job_' || n, '{}', '{}', 'open', $2::text, ARRAY[$2::text], holdfast_now() FROM generate_series(1, 9000) n`,
    [tenantId, root],
  );
  const outcome = await ledger.execute(commands.endJob(root, "cancelled"));
  if (typeof expected === "string") expect(outcome).toMatchObject({ type: "refused", refusal: { code: expected } });
  else expect(answerOf(outcome)).toMatchObject(expected);
  const states = await record.sql("SELECT state, count(*) FROM jobs WHERE tenant_id = $1 GROUP BY 1", [tenantId]);
  expect(states).toEqual([{ state: outcome.type === "done" ? "cancelled" : "open", count: 9_001 }]);
});

it("changes the default of more users than a call takes arguments", async () => {
  const tenantId = await usersOf(130_000);
  const patch = commandsOf(tenantId).configure({ change: "patch", userAllowance: { tokens: 10 } });
  expect(answerOf(await ledger.execute(patch))).toMatchObject({ userAllowance: { tokens: 10 } });
});

it("changes the default of many users as fast where each has a limit of its own", async () => {
  const users = 20_000;
  const [plain, own] = await Promise.all([usersOf(users), usersOf(users)]);
  await record.sql(
    `INSERT INTO allowances (tenant_id, kind, scope_id, unit, limit_amount)
     SELECT $1, 'user', 'user_' || n, 'tokens', 10 FROM generate_series(1, ${users}) n`,
    [own],
  );
  // Nobody's limit changes: what is measured is how they are found.
  const patch = (tenantId: string) =>
    commandsOf(tenantId).configure({ change: "patch", userAllowance: { tokens: 10 } });
  const [plainMs, ownMs] = [await timed(patch(plain)), await timed(patch(own))];
  expect(ownMs).toBeLessThan(5 * plainMs);
});

it("looks through the windows of users that may not be over, however many there were", async () => {
  const tenantId = await record.newTenant({ allowances: { tokens: 1_000 } });
  const [{ now }] = (await record.sql<{ now: number }>(
    "SELECT extract(epoch FROM holdfast_now())::float8 * 1000 AS now",
  )) as [{ now: number }];
  const zones = ["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago", "America/St_Johns", "Asia/Kolkata"];
  const current = new Set(PERIODS.flatMap((period) => zones.map((zone) => windowAt(period, zone, now).id)));
  const hours = Array.from({ length: 2_000 }, (_, i) => windowAt("hour", "UTC", now - i * 3_600_000).id);
  await record.sql(
    `INSERT INTO balances (tenant_id, key, kind, scope_id, unit, "window", limit_amount, reserved, spent, version)
     SELECT $1, 'user:ann:tokens:' || w, 'user', 'ann', 'tokens', w, 10, 0, 0, 1 FROM unnest($2::text[]) w`,
    [tenantId, [...new Set([...current, ...hours])]],
  );
  const rows = await record.sql<{ key: string }>(STATEMENTS.get("user_balances")!, [[tenantId], ["tokens"]]);
  const found = rows.map(({ key }) => key);
  expect(found).toEqual(expect.arrayContaining([...current].map((window) => `user:ann:tokens:${window}`)));
  expect(found.length).toBeLessThan(current.size + 48);
});

/** A tenant whose users all have taken something, and stand at the default. */
async function usersOf(users: number): Promise<string> {
  const tenantId = await record.newTenant({ userAllowance: { tokens: 10 } });
  await record.sql(
    `INSERT INTO balances (tenant_id, key, kind, scope_id, unit, "window", limit_amount, reserved, spent, version)
     SELECT $1, 'user:user_' || n || ':tokens:none', 'user', 'user_' || n, 'tokens', 'none', 10, 0, 0, 1
     FROM generate_series(1, ${users}) n`,
    [tenantId],
  );
  return tenantId;
}
