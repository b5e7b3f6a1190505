import fc from "fast-check";
import { balanceKey, MAX_AMOUNT, type Ask, type Balance, type Figures } from "#libs/ledger";
import { RedisCopies } from "../../libs/ledger/redis/index.js";
import { NOON } from "../support/book.js";
import { fresh, plan } from "../support/commands.js";
import { KeptLog, TestRecord } from "../support/record.js";
import { redisUrl } from "../support/services.js";
import { expectAgreement, type Case, type Three } from "./agreement.js";

let record: TestRecord;
let copies: RedisCopies;
let three: Three;

beforeAll(async () => {
  record = await TestRecord.start();
  copies = new RedisCopies({ url: redisUrl(), timeoutMs: 5_000, log: new KeptLog() });
  three = { record, copies, ledger: record.open({ redisUrl: null }) };
  await record.setClock(NOON);
});

afterAll(async () => {
  copies.close();
  await record.stop();
});

const LIMITS = [0, 1, 1_000, 99_999_999_999_999, 10 ** 14, MAX_AMOUNT - 1, MAX_AMOUNT, null];

/** Where whole numbers are easily lost: at 0, around a limit, from 15 digits on (Lua's text), and where integers end. */
function edgesOf(limit: number | null): number[] {
  const at = limit ?? MAX_AMOUNT;
  return amounts([0, 1, at - 1, at, at + 1, 99_999_999_999_999, 10 ** 14, 2 ** 53 - 1]);
}

function amounts(given: readonly number[]): number[] {
  return [...new Set(given)].filter((amount) => amount >= 0 && amount <= MAX_AMOUNT);
}

/** Around what is left of a limit. */
function roomOf(limit: number | null, taken: number): number[] {
  const room = (limit ?? MAX_AMOUNT) - taken;
  return [room - 1, room, room + 1];
}

const amountsAtEdges = LIMITS.flatMap((limit) =>
  edgesOf(limit).flatMap((taken) =>
    amounts([...edgesOf(limit), ...roomOf(limit, taken)]).map((tokens) => ({
      limit,
      taken,
      ask: { amounts: { tokens } },
    })),
  ),
);

/** `[children, attempts, cost]` whose product is the number: the factors of 2^53 − 1 and of its neighbours among them. */
const PRODUCTS: readonly (readonly [product: bigint, factors: readonly [number, number, number]])[] = [
  [99_999_999_999_999n, [9_999_999, 10_000_001, 1]],
  [10n ** 14n, [10_000, 100_000, 100_000]],
  [2n ** 53n - 2n, [2, 3, 1_501_199_875_790_165]],
  [2n ** 53n - 1n, [6_361, 69_431, 20_394_401]],
  [2n ** 53n - 1n, [1, 1, 2 ** 53 - 1]],
  [2n ** 53n, [2 ** 20, 2 ** 20, 2 ** 13]],
  // As a float it is 2^53.
  [2n ** 53n + 1n, [3, 1, 3_002_399_751_580_331]],
  [(2n ** 53n - 1n) ** 3n, [2 ** 53 - 1, 2 ** 53 - 1, 2 ** 53 - 1]],
];

const plansAtEdges = PRODUCTS.flatMap(([product, [a, b, c]]) => {
  const total = Math.min(Number(product), MAX_AMOUNT);
  const limits = [...amounts([0, 1, 10 ** 14, total - 1, total, total + 1, MAX_AMOUNT]), null];
  const asks: Ask[] = [plan(a, b, c), plan(b, c, a), plan(c, a, b)];
  return limits.flatMap((limit) =>
    amounts([0, 1, ...roomOf(limit, total)]).flatMap((taken) => asks.map((ask) => ({ limit, taken, ask }))),
  );
});

describe("the script on the copies, the group commit and the bare rules", () => {
  it("have plans whose products are those numbers", () => {
    for (const [product, factors] of PRODUCTS) {
      expect(factors.map(BigInt).reduce((all, factor) => all * factor, 1n)).toBe(product);
    }
  });

  it.each<[string, readonly { limit: number | null; taken: number; ask: Ask }[]]>([
    ["limit, reserved, spent and amount", amountsAtEdges],
    ["children × attempts × cost, near a limit and near 2^53 − 1", plansAtEdges],
  ])("agree at every edge of %s, and take the same", async (_name, edges) => {
    const cases = edges.flatMap(({ limit, taken, ask }, i): Case[] => {
      const admit = "amounts" in ask || i % 2 === 0 ? "all" : "partial";
      return [
        { figures: { limit, reserved: taken, spent: 0 }, ask, admit },
        { figures: { limit, reserved: 0, spent: taken }, ask, admit: "amounts" in ask ? "partial" : admit },
      ];
    });
    await expectAgreement(three, cases);
  });

  it("agree on any figures, where spent and reserved together pass 2^53 − 1 too", async () => {
    const amount = fc.oneof(fc.constantFrom(...edgesOf(1_000)), fc.nat(2_000), fc.maxSafeNat());
    const near = fc
      .tuple(amount, fc.integer({ min: -2, max: 2 }))
      .map(([base, by]) => Math.min(Math.max(0, base + by), MAX_AMOUNT));
    const count = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 10 ** 8 }));
    const ask = fc.oneof(
      near.map((tokens): Ask => ({ amounts: { tokens } })),
      fc.tuple(count, count, near).map(([children, attempts, cost]) => plan(children, attempts, cost)),
    );
    const figures = fc.record({ limit: fc.option(near), reserved: near, spent: near });
    const admit = fc.constantFrom<Case["admit"]>("all", "partial");
    const cases = fc.sample(fc.record({ figures, ask, admit }), { numRuns: 1_000 });
    await expectAgreement(three, cases);
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
    expect(await judge()).toBe("unsure");
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
