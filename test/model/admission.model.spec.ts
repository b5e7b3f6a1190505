import fc from "fast-check";
import {
  balanceKey,
  decide,
  MAX_AMOUNT,
  type Balance,
  type Denial,
  type Figures,
  type Ledger,
  type TenantBook,
} from "#libs/ledger";
import { RedisCopies } from "../../libs/ledger/redis/index.js";
import { bookOf, NOON } from "../support/book.js";
import { commandsOf, fresh } from "../support/commands.js";
import { KeptLog, TestRecord } from "../support/record.js";
import { redisUrl } from "../support/services.js";

/** Where whole numbers are easily lost: at 0, at a limit, from 15 digits on (Lua's text), and where integers end. */
const EDGES = [0, 1, 999, 1_000, 1_001, 99_999_999_999_999, 10 ** 14, MAX_AMOUNT - 1, MAX_AMOUNT];

let record: TestRecord;
let ledger: Ledger;
let copies: RedisCopies;

beforeAll(async () => {
  record = await TestRecord.start();
  ledger = record.open({ redisUrl: null });
  copies = new RedisCopies({ url: redisUrl(), timeoutMs: 2_000, log: new KeptLog() });
  await record.setClock(NOON);
});

afterAll(async () => {
  copies.close();
  await record.stop();
});

interface Case {
  readonly figures: Figures;
  readonly amount: number;
}

/** The same job-scoped balances in a book, in Postgres and in Redis, one job a case, under a tenant without a limit. */
async function place(cases: readonly Case[]) {
  const book = bookOf({ allowances: { tokens: null } });
  const { tenantId } = book;
  await record.newTenant({ allowances: { tokens: null } }, tenantId);
  const commands = commandsOf(tenantId);
  const balances: Balance[] = [];
  for (const { figures } of cases) {
    const jobId = fresh("job");
    const job = commands.createJob({ jobId, allowance: figures.limit === null ? {} : { tokens: figures.limit } });
    decide(book, job, NOON);
    const scope = { kind: "job", id: jobId } as const;
    const balance: Balance = {
      key: balanceKey(scope, "tokens", "none"),
      scope,
      unit: "tokens",
      window: "none",
      version: 7,
      ...figures,
    };
    book.balances.rows.set(balance.key, balance);
    balances.push(balance);
  }
  await record.sql(
    `INSERT INTO jobs (tenant_id, id, labels, allowance, state, created_at)
     SELECT $1, id, '{}', allowance::json, 'open', holdfast_now() FROM unnest($2::text[], $3::text[]) AS x(id, allowance)`,
    [
      tenantId,
      balances.map(({ scope }) => scope.id),
      cases.map(({ figures: { limit } }) => JSON.stringify(limit === null ? {} : { tokens: limit })),
    ],
  );
  await record.sql(
    `INSERT INTO balances (tenant_id, key, kind, scope_id, unit, "window", limit_amount, reserved, spent, version)
     SELECT $1, key, 'job', id, 'tokens', 'none', l, r, s, 7 FROM unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[]) AS x(key, id, l, r, s)`,
    [
      tenantId,
      ...(["key", "id", "limit", "reserved", "spent"] as const).map((name) =>
        balances.map((row) => (name === "id" ? row.scope.id : row[name])),
      ),
    ],
  );
  await copies.remember(tenantId, balances, 0);
  return { tenantId, book, balances, commands };
}

/** What each of the three says: null where it fits, else the denial. */
async function expectAgreement(cases: readonly Case[]): Promise<void> {
  const { tenantId, book, balances, commands } = await place(cases);
  const asks = cases.map(({ amount }, i) => commands.reserve(balances[i]!.scope.id, amount, { dryRun: true }));
  const judged = await Promise.all(
    chunks(asks, 100).map((some, c) =>
      copies.judge(
        tenantId,
        some.map((_, i) => [{ key: balances[c * 100 + i]!.key, amount: cases[c * 100 + i]!.amount }]),
        60_000,
      ),
    ),
  );
  const verdicts = judged.flat();
  const committed = await Promise.all(asks.map((ask) => ledger.execute(ask)));
  for (const [i, { figures, amount }] of cases.entries()) {
    const fits =
      BigInt(figures.reserved) + BigInt(figures.spent) + BigInt(amount) <= BigInt(figures.limit ?? MAX_AMOUNT);
    const byRules = decide(book, asks[i]!, NOON);
    const isDenied = byRules.type === "refused";
    expect({
      figures,
      amount,
      rules: !isDenied,
      record: committed[i]!.type === "done",
      copies: verdicts[i]!.status,
    }).toEqual({
      figures,
      amount,
      rules: fits,
      record: fits,
      copies: fits ? "fits" : "denied",
    });
    expect(committed[i]).toEqual(byRules);
    const verdict = verdicts[i]!;
    if (verdict.status === "denied") expect(verdict.copies).toEqual([{ ...figures, version: 7 }]);
    if (isDenied) expectExact(byRules.refusal.denial!, { figures, amount });
  }
  expectUntouched(book, balances);
}

function expectExact(denial: Denial, { figures, amount }: Case): void {
  const left = BigInt(figures.limit ?? MAX_AMOUNT) - BigInt(figures.reserved) - BigInt(figures.spent);
  expect(BigInt(denial.available)).toBe(left < 0n ? 0n : left);
  expect(denial).toMatchObject({
    ...figures,
    requested: amount,
    code: figures.limit !== null && amount > figures.limit ? "exceeds_limit" : "allowance_exhausted",
  });
}

function expectUntouched(book: TenantBook, balances: readonly Balance[]): void {
  expect(balances.every(({ key, version }) => version === 7 && book.balances.find(key) !== null)).toBe(true);
}

function chunks<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));
}

describe("the script on the copies, the group commit and the bare rules", () => {
  it("agree at every edge of limit, reserved, spent and amount", async () => {
    const cases = [...EDGES, null].flatMap((limit) =>
      EDGES.flatMap((taken) => EDGES.map((amount) => ({ limit, taken, amount }))),
    );
    await expectAgreement(
      cases.map(({ limit, taken, amount }) => ({ figures: { limit, reserved: taken, spent: 0 }, amount })),
    );
    await expectAgreement(
      cases.map(({ limit, taken, amount }) => ({ figures: { limit, reserved: 1, spent: taken }, amount })),
    );
  });

  it("agree on any figures, where spent and reserved together pass 2^53 − 1 too", async () => {
    const amount = fc.oneof(fc.constantFrom(...EDGES), fc.nat(2_000), fc.maxSafeNat());
    const near = fc
      .tuple(amount, fc.integer({ min: -2, max: 2 }))
      .map(([base, by]) => Math.min(Math.max(0, base + by), MAX_AMOUNT));
    const figures = fc.record({ limit: fc.option(near), reserved: near, spent: near });
    const cases = fc.sample(fc.record({ figures, amount: near }), { numRuns: 1_500 });
    await expectAgreement(cases);
  });
});

describe("the script on the copies", () => {
  const balanceOf = (id: string, version: number, figures: Figures): Balance => {
    const scope = { kind: "job", id } as const;
    return { key: balanceKey(scope, "tokens", "none"), scope, unit: "tokens", window: "none", version, ...figures };
  };
  const full: Figures = { limit: 10, reserved: 10, spent: 0 };
  const wide: Figures = { limit: 10, reserved: 0, spent: 0 };

  it("denies only where every copy that binds the ask is there and fresh", async () => {
    const tenantId = fresh("ten");
    const [denying, fitting] = [balanceOf("a", 1, full), balanceOf("b", 1, wide)];
    const holds = [denying, fitting].map(({ key }) => ({ key, amount: 1 }));
    const judge = async () => (await copies.judge(tenantId, [holds], 2_000))[0]!.status;
    expect(await judge()).toBe("fits");
    await copies.remember(tenantId, [denying], 0);
    expect(await judge()).toBe("stale");
    await copies.remember(tenantId, [fitting], 2_001);
    expect(await judge()).toBe("stale");
    await copies.remember(tenantId, [fitting], 1_000);
    expect(await judge()).toBe("denied");
    await copies.forget(tenantId, [fitting.key]);
    expect(await judge()).toBe("stale");
  });

  it("judges each of many asks by itself, over copies that they share", async () => {
    const tenantId = fresh("ten");
    const balances = [balanceOf("a", 1, full), balanceOf("b", 1, wide)];
    await copies.remember(tenantId, balances, 0);
    const ask = (...amounts: [number, number]) => balances.map(({ key }, i) => ({ key, amount: amounts[i]! }));
    const verdicts = await copies.judge(tenantId, [ask(0, 10), ask(1, 0), ask(0, 11), []], 2_000);
    expect(verdicts.map(({ status }) => status)).toEqual(["fits", "denied", "denied", "fits"]);
  });

  it("keeps the newest version, however late, doubled or reordered the others come", async () => {
    const tenantId = fresh("ten");
    const versions = [1, 2, 9, 10, 11, 2 ** 53 - 2, 2 ** 53 - 1].map((version) =>
      balanceOf("a", version, { ...wide, spent: version }),
    );
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray([...versions, ...versions], { minLength: 1 }), async (arriving) => {
        await copies.forget(tenantId, [versions[0]!.key]);
        for (const balance of arriving) await copies.remember(tenantId, [balance], 0);
        const newest = Math.max(...arriving.map(({ version }) => version));
        expect(await copies.read(tenantId, [versions[0]!.key])).toEqual([{ ...wide, spent: newest, version: newest }]);
      }),
      { numRuns: 50 },
    );
  });

  it("reads what is not a copy as none", async () => {
    expect(await copies.read(fresh("ten"), ["job:a:tokens:none", "job:b:tokens:none"])).toEqual([null, null]);
    expect(await copies.read(fresh("ten"), [])).toEqual([]);
  });
});
