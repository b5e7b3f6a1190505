import { performance } from "node:perf_hooks";
import { Redis } from "ioredis";
import pg from "pg";
import type { Command, Ledger } from "#libs/ledger";
import { commandsOf, keyed, plan } from "../support/commands.js";
import { answerOf, refusalOf, withoutTimes, wordOf } from "../support/outcomes.js";
import { eventually, TestRecord } from "../support/record.js";
import { redisUrl } from "../support/services.js";

let record: TestRecord;
let redis: Redis;
/** Two processes. */
let here: Ledger;
let there: Ledger;

beforeAll(async () => {
  record = await TestRecord.start();
  redis = new Redis(redisUrl());
  [here, there] = [record.open(), record.open()];
});

afterEach(() => record.expectSound());

afterAll(async () => {
  await record.stop();
  redis.disconnect();
});

const copyOf = (tenantId: string, key: string) => `holdfast:{${tenantId}}:copy:${key}`;

/** A tenant of 100 tokens of which all are held by one job of ann's, known to be full in both processes. */
async function fullTenant(limits: { user?: number } = {}) {
  const tenantId = await record.newTenant({
    allowances: { tokens: 100 },
    ...(limits.user !== undefined && { userAllowance: { tokens: limits.user } }),
  });
  const commands = commandsOf(tenantId);
  const jobId = answerOf(await here.execute(commands.createJob({ user: "ann" })))["id"] as string;
  const ask = plan(1, Math.min(100, limits.user ?? 100), 1);
  const held = answerOf(await here.reserve(commands.reserve(jobId, ask)))["id"] as string;
  for (const ledger of [here, there]) refusalOf(await ledger.reserve(commands.reserve(jobId, 1)));
  return { tenantId, commands, jobId, held, tenantKey: copyOf(tenantId, `tenant:${tenantId}:tokens:none`) };
}

type Full = Awaited<ReturnType<typeof fullTenant>>;

describe("after an answer that gives room at one process, a request that now fits is admitted at another:", () => {
  const GIVERS: [string, (full: Full) => Command, { user?: number }][] = [
    ["settle", ({ commands, held }) => commands.settle(held, 99), {}],
    ["release", ({ commands, held }) => commands.release(held), {}],
    ["a charge of a success", ({ commands, held }) => commands.charge(held, [1, 1], 1), {}],
    ["a raise of the tenant's limit", ({ commands }) => commands.setLimit(101), {}],
    ["an adjustment", ({ commands }) => commands.configure({ change: "adjust", unit: "tokens", delta: 1 }), {}],
    [
      "a raise of the users' default",
      ({ commands }) => commands.configure({ change: "patch", userAllowance: { tokens: 51 } }),
      { user: 50 },
    ],
    ["a user's own limit", ({ commands }) => commands.setUserLimit("ann", 51), { user: 50 }],
  ];

  it.each(GIVERS)("%s", async (_, giver, limits) => {
    for (let round = 0; round < 15; round += 1) {
      const full = await fullTenant(limits);
      const { commands, jobId } = full;
      answerOf(await here.execute(giver(full)));
      expect(wordOf(await there.reserve(commands.reserve(jobId, 1)))).toBe("done");
      expect(wordOf(await there.reserve(commands.reserve(jobId, 1_000)))).toMatch(/done|exceeds_limit/);
    }
  });

  const REPEATED: [string, (full: Full) => Command, { user?: number }][] = [
    ["a settle", ({ commands, held }) => commands.settle(held, 99), {}],
    ["a release", ({ commands, held }) => commands.release(held), {}],
    ["a charge", ({ commands, held }) => commands.charge(held, [1, 1], 1), {}],
    [
      "a charge under its key",
      ({ commands, held }) => commands.charge(held, [1, 1], 1, "succeeded", keyed(`K ${held}`)),
      {},
    ],
    ["a raise of the tenant's limit", ({ commands }) => commands.setLimit(101), {}],
    [
      "an adjustment under its key",
      ({ commands, held }) =>
        commands.configure({ change: "adjust", unit: "tokens", delta: 1 }, { key: keyed(`K ${held}`) }),
      {},
    ],
    [
      "a raise of the users' default",
      ({ commands }) => commands.configure({ change: "patch", userAllowance: { tokens: 51 } }),
      { user: 50 },
    ],
    ["a user's own limit", ({ commands }) => commands.setUserLimit("ann", 51), { user: 50 }],
  ];

  it.each(REPEATED)(
    "%s, repeated where the process that did it died before it told the copies",
    async (_, giver, of) => {
      const dying = record.open({ redisUrl: null });
      const full = await fullTenant(of);
      const { commands, jobId } = full;
      answerOf(await dying.execute(giver(full)));
      answerOf(await there.execute(giver(full)));
      for (const ledger of [here, there]) {
        expect(wordOf(await ledger.reserve(commands.reserve(jobId, 1, { dryRun: true })))).toBe("done");
      }
    },
  );

  it("the end of a child, also where it is repeated and the process that did it died before it told the copies", async () => {
    const dying = record.open({ redisUrl: null });
    for (let round = 0; round < 10; round += 1) {
      const { commands } = await fullTenant();
      answerOf(await here.execute(commands.setLimit(200)));
      const parent = answerOf(await here.execute(commands.createJob({ allowance: { tokens: 10 } })))["id"] as string;
      const child = answerOf(await here.execute(commands.childOf(parent, 10)))["id"] as string;
      for (const ledger of [here, there]) refusalOf(await ledger.reserve(commands.reserve(parent, 1)));
      if (round % 2 === 0) answerOf(await dying.execute(commands.endJob(child)));
      answerOf(await here.execute(commands.endJob(child)));
      expect(wordOf(await there.reserve(commands.reserve(parent, 10)))).toBe("done");
    }
  });

  it("a raise of the users' default, for a user that nothing was ever taken of", async () => {
    for (let round = 0; round < 15; round += 1) {
      const { commands } = await fullTenant({ user: 50 });
      const jobId = answerOf(await here.execute(commands.createJob({ user: "bob" })))["id"] as string;
      for (const ledger of [here, there]) {
        for (let i = 0; i < 2; i += 1)
          expect(refusalOf(await ledger.reserve(commands.reserve(jobId, 51))).code).toBe("exceeds_limit");
      }
      answerOf(await here.execute(commands.configure({ change: "patch", userAllowance: { tokens: 51 } })));
      expect(refusalOf(await there.reserve(commands.reserve(jobId, 51))).denial?.scope.kind).toBe("tenant");
      answerOf(await here.execute(commands.setLimit(200)));
      expect(wordOf(await there.reserve(commands.reserve(jobId, 51)))).toBe("done");
    }
  });

  it("100 rounds of taking and giving back the last token", async () => {
    const { commands, jobId, held } = await fullTenant();
    let last = held;
    for (let round = 0; round < 100; round += 1) {
      const [giver, taker] = round % 2 ? [here, there] : [there, here];
      answerOf(await giver.execute(commands.release(last)));
      last = answerOf(await taker.reserve(commands.reserve(jobId, 100)))["id"] as string;
    }
  });
});

describe("a denial", () => {
  it("by fresh copies costs the record no lock: it is given while the tenant is locked", async () => {
    const { tenantId, commands, jobId } = await fullTenant();
    const locker = new pg.Client({ connectionString: record.database.url });
    await locker.connect();
    await locker.query("BEGIN");
    await locker.query("SELECT 1 FROM tenants WHERE id = $1 FOR UPDATE", [tenantId]);
    const start = performance.now();
    const denied = await Promise.all(Array.from({ length: 1_000 }, () => there.reserve(commands.reserve(jobId, 1))));
    expect(new Set(denied.map((outcome) => refusalOf(outcome).code))).toEqual(new Set(["allowance_exhausted"]));
    expect(refusalOf(denied[0]!).denial).toMatchObject({
      scope: { kind: "tenant", id: tenantId },
      limit: 100,
      reserved: 100,
      available: 0,
    });
    expect(performance.now() - start).toBeLessThan(2_000);
    await locker.query("ROLLBACK");
    await locker.end();
  });

  it("older than two seconds is read again: room that was made behind the back of Redis is found", async () => {
    const { tenantId, commands, jobId, tenantKey } = await fullTenant();
    await record.sql(
      `UPDATE balances SET limit_amount = 150, version = version + 1 WHERE tenant_id = $1 AND key LIKE 'tenant:%'`,
      [tenantId],
    );
    // What was confirmed within two seconds may still refuse.
    expect(wordOf(await there.reserve(commands.reserve(jobId, 1)))).toBe("allowance_exhausted");
    const [version, limit, reserved, spent, at] = (await redis.get(tenantKey))!.split(":");
    await redis.set(tenantKey, [version, limit, reserved, spent, Number(at) - 2_001].join(":"));
    expect(wordOf(await there.reserve(commands.reserve(jobId, 51)))).toBe("allowance_exhausted");
    expect(wordOf(await there.reserve(commands.reserve(jobId, 50)))).toBe("done");
  });

  it("turns into admission within two seconds of room made behind the back of Redis, by itself", async () => {
    const { tenantId, commands, jobId } = await fullTenant();
    await record.sql(
      `UPDATE balances SET limit_amount = 150, version = version + 1 WHERE tenant_id = $1 AND key LIKE 'tenant:%'`,
      [tenantId],
    );
    const start = performance.now();
    await eventually(async () => (await there.reserve(commands.reserve(jobId, 1))).type === "done");
    expect(performance.now() - start).toBeLessThan(2_500);
  });

  it("turns into admission within two seconds after the record was restored from an older backup", async () => {
    const { tenantId, commands, jobId } = await fullTenant();
    await record.sql(`UPDATE balances SET reserved = 0, version = 1 WHERE tenant_id = $1`, [tenantId]);
    for (const table of ["reservations", "ledger_entries"])
      await record.sql(`DELETE FROM ${table} WHERE tenant_id = $1`, [tenantId]);
    const start = performance.now();
    await eventually(async () => (await there.reserve(commands.reserve(jobId, 1))).type === "done");
    expect(performance.now() - start).toBeLessThan(2_500);
  });

  it("asks whether its key has an effect already: all answers under one key agree", async () => {
    const tenantId = await record.newTenant({ allowances: { tokens: 100 } });
    const commands = commandsOf(tenantId);
    const jobId = answerOf(await here.execute(commands.createJob()))["id"] as string;
    const key = keyed();
    const first = answerOf(await here.reserve(commands.reserve(jobId, 100, { key })));
    for (let round = 0; round < 20; round += 1) {
      expect(await there.reserve(commands.reserve(jobId, 100, { key }))).toEqual({
        type: "done",
        answer: first,
        replayed: true,
      });
      expect(
        wordOf(await there.reserve(commands.reserve(jobId, 100, { key: { ...key, fingerprint: "another" } }))),
      ).toBe("idempotency_key_reused");
      expect(wordOf(await there.reserve(commands.reserve(jobId, 100)))).toBe("allowance_exhausted");
    }
  });

  it("by copies says the same as the record says", async () => {
    const { commands, jobId } = await fullTenant({ user: 50 });
    const alone = record.open({ redisUrl: null });
    for (const ask of [1, 50, 51, 100, 101, { children: 7, attempts: 2, attemptCost: { tokens: 5 } }]) {
      for (const admit of ["all", "partial"] as const) {
        const expected = await alone.reserve(commands.reserve(jobId, ask, { admit }));
        expect(expected.type).toBe("refused");
        for (let i = 0; i < 2; i += 1) {
          const answer = await there.reserve(commands.reserve(jobId, ask, { admit }));
          expect(withoutTimes(answer)).toEqual(withoutTimes(expected));
        }
      }
    }
  });
});

describe("a change of the tenant", () => {
  it("to suspended reaches another process within a second, under constant traffic", async () => {
    const tenantId = await record.newTenant({ allowances: { tokens: null } });
    const commands = commandsOf(tenantId);
    const jobId = answerOf(await there.execute(commands.createJob()))["id"] as string;
    answerOf(await there.reserve(commands.reserve(jobId, 1)));
    answerOf(await here.execute(commands.configure({ change: "state", state: "suspended" })));
    for (let i = 0; i < 20; i += 1)
      expect(wordOf(await there.reserve(commands.reserve(jobId, 1)))).toBe("tenant_suspended");
    await eventually(async () => (await there.tenant(tenantId))?.tenant.state === "suspended", 1_100);
  });

  it("to observing reaches another process within a second, where copies denied before", async () => {
    const { commands, jobId } = await fullTenant();
    answerOf(await here.execute(commands.configure({ change: "patch", enforcement: "observe" })));
    const start = performance.now();
    await eventually(async () => (await there.reserve(commands.reserve(jobId, 1))).type === "done");
    expect(performance.now() - start).toBeLessThan(1_500);
  });
});

describe("the end of a job at one process", () => {
  it.each(["closed", "cancelled"] as const)(
    "reaches another within a second, where copies denied: %s",
    async (state) => {
      const { commands, jobId, held } = await fullTenant();
      // Somebody else holds what there is, so that copies go on to deny.
      answerOf(await here.execute(commands.release(held)));
      const other = answerOf(await here.execute(commands.createJob()))["id"] as string;
      answerOf(await here.reserve(commands.reserve(other, 100)));
      expect(wordOf(await there.reserve(commands.reserve(jobId, 1)))).toBe("allowance_exhausted");
      answerOf(await here.execute(commands.endJob(jobId, state)));
      const start = performance.now();
      await eventually(async () => wordOf(await there.reserve(commands.reserve(jobId, 1))) === "job_not_open");
      expect(performance.now() - start).toBeLessThan(1_500);
      expect(wordOf(await there.reserve(commands.reserve(jobId, 1)))).toBe("job_not_open");
    },
  );
});
