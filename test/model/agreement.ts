import {
  balanceKey,
  decide,
  MAX_AMOUNT,
  type Ask,
  type Balance,
  type Denial,
  type Figures,
  type Ledger,
  type Outcome,
  type Reserve,
  type TenantBook,
} from "#libs/ledger";
import type { RedisCopies } from "../../libs/ledger/redis/index.js";
import { balancesIn, bookOf, NOON } from "../support/book.js";
import { commandsOf, fresh, type Commands } from "../support/commands.js";
import type { TestRecord } from "../support/record.js";

/** An ask for tokens against the balance of a job with these figures, under a tenant without a limit. */
export interface Case {
  readonly figures: Figures;
  readonly ask: Ask;
  readonly admit: Reserve["admit"];
}

/** The three that are held against each other; the ledger has no copies, so that its record decides alone. */
export interface Three {
  readonly record: TestRecord;
  readonly ledger: Ledger;
  readonly copies: RedisCopies;
}

interface Placed extends Case {
  readonly tenantId: string;
  readonly commands: Commands;
  readonly book: TenantBook;
  readonly balance: Balance;
}

const VERSION = 7;

/** Each case in a tenant of its own, the same in a book, in Postgres and in Redis. */
async function place({ record, copies }: Three, cases: readonly Case[]): Promise<Placed[]> {
  const placed = cases.map((one): Placed => {
    const { figures } = one;
    const book = bookOf({ allowances: { tokens: null } });
    const { tenantId } = book;
    const commands = commandsOf(tenantId);
    const job = commands.createJob({ allowance: figures.limit === null ? {} : { tokens: figures.limit } });
    decide(book, { ...job, key: { key: fresh("K"), fingerprint: "" } }, NOON);
    const scope = { kind: "job", id: job.jobId } as const;
    const key = balanceKey(scope, "tokens", "none");
    const balance = { key, scope, unit: "tokens", window: "none", version: VERSION, ...figures };
    book.balances.rows.set(key, { ...balance });
    return { ...one, tenantId, commands, book, balance };
  });
  await insert(record, placed);
  await Promise.all(placed.map(({ tenantId, balance }) => copies.remember(tenantId, [balance], 0)));
  return placed;
}

async function insert(record: TestRecord, placed: readonly Placed[]): Promise<void> {
  const column = <T>(of: (one: Placed) => T): T[] => placed.map(of);
  const tenants = column(({ tenantId }) => tenantId);
  const ids = column(({ balance }) => balance.scope.id);
  await record.sql(
    `INSERT INTO tenants (id, name, enforcement, state, created_at)
     SELECT id, 'a', 'enforce', 'active', holdfast_now() FROM unnest($1::text[]) AS x(id)`,
    [tenants],
  );
  await record.sql(
    `INSERT INTO allowances (tenant_id, kind, scope_id, unit, limit_amount, period, time_zone)
     SELECT id, 'tenant', '', 'tokens', NULL, 'none', 'UTC' FROM unnest($1::text[]) AS x(id)`,
    [tenants],
  );
  await record.sql(
    `INSERT INTO jobs (tenant_id, id, labels, allowance, state, created_at)
     SELECT t, id, '{}', allowance::json, 'open', holdfast_now()
     FROM unnest($1::text[], $2::text[], $3::text[]) AS x(t, id, allowance)`,
    [tenants, ids, column(({ figures: { limit } }) => JSON.stringify(limit === null ? {} : { tokens: limit }))],
  );
  await record.sql(
    `INSERT INTO balances (tenant_id, key, kind, scope_id, unit, "window", limit_amount, reserved, spent, version)
     SELECT t, key, 'job', id, 'tokens', 'none', l, r, s, ${VERSION}
     FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[]) AS x(t, key, id, l, r, s)`,
    [
      tenants,
      column(({ balance }) => balance.key),
      ids,
      ...(["limit", "reserved", "spent"] as const).map((name) => column(({ figures }) => figures[name])),
    ],
  );
}

/** What must come of a case, by arithmetic that has no end. */
function expectedOf({ figures, ask, admit }: Case) {
  const { limit, reserved, spent } = figures;
  const isPlan = !("amounts" in ask);
  const children = isPlan ? BigInt(ask.children) : 1n;
  const each = isPlan ? BigInt(ask.attempts) * BigInt(ask.attemptCost["tokens"]!) : BigInt(ask.amounts["tokens"]!);
  const room = BigInt(limit ?? MAX_AMOUNT) - BigInt(reserved) - BigInt(spent);
  const most = room < 0n ? 0n : each === 0n ? children : least(children, room / each);
  const decisive = admit === "partial" ? each : each * children;
  const fits = decisive <= room;
  const admitted = !fits ? 0n : admit === "partial" ? most : children;
  const tooLarge = each * children > BigInt(MAX_AMOUNT);
  const denial = {
    ...figures,
    code: limit !== null && decisive > BigInt(limit) ? "exceeds_limit" : "allowance_exhausted",
    requested: Number(decisive),
    available: Number(room < 0n ? 0n : room),
    ...(isPlan && { maxChildren: Number(most) }),
  };
  return { tooLarge, fits, decisive: Number(decisive), taken: Number(each * admitted), denial };
}

const least = (a: bigint, b: bigint) => (a < b ? a : b);

/** All three say the same of every case, first in a dry run and then in earnest, and are left with the same figures. */
export async function expectAgreement(three: Three, cases: readonly Case[]): Promise<void> {
  const placed = await place(three, cases);
  const { ledger, copies } = three;
  const asks = placed.map(({ commands, balance, ask, admit }) => ({
    dry: commands.reserve(balance.scope.id, ask, { admit, dryRun: true }),
    real: commands.reserve(balance.scope.id, ask, { admit }),
  }));
  const verdicts = await Promise.all(
    placed.map(async ({ tenantId, balance, ...one }) => {
      const { tooLarge, decisive } = expectedOf(one);
      return tooLarge ? null : copies.judge(tenantId, [[{ key: balance.key, amount: decisive }]], 60_000);
    }),
  );
  const dry = await Promise.all(asks.map((ask) => ledger.execute(ask.dry)));
  const real = await Promise.all(asks.map((ask) => ledger.execute(ask.real)));
  for (const [i, one] of placed.entries()) {
    const { figures, ask, admit, book } = one;
    const { tooLarge, fits, denial } = expectedOf(one);
    const byRules = [decide(book, asks[i]!.dry, NOON), decide(book, asks[i]!.real, NOON)];
    const verdict = verdicts[i]?.[0] ?? null;
    const word = tooLarge ? "too large" : fits ? "fits" : "denied";
    expect({
      ...{ figures, ask, admit },
      rules: byRules.map(wordOf),
      record: [wordOf(dry[i]!), wordOf(real[i]!)],
      copies: verdict?.status ?? "too large",
    }).toEqual({ figures, ask, admit, rules: [word, word], record: [word, word], copies: word });
    expect([dry[i], real[i]]).toEqual(byRules);
    if (word !== "denied") continue;
    expect(verdict).toEqual({
      status: "denied",
      copies: [{ ...figures, version: VERSION, ageMs: expect.any(Number) }],
    });
    for (const outcome of byRules) expect(denialIn(outcome)).toMatchObject(denial);
  }
  await expectSameFigures(three, placed);
}

function wordOf(outcome: Outcome): string {
  if (outcome.type === "done") return "fits";
  return outcome.refusal.denial ? "denied" : outcome.refusal.code === "validation_failed" ? "too large" : "none";
}

function denialIn(outcome: Outcome): Denial | undefined {
  return outcome.type === "refused" ? outcome.refusal.denial : undefined;
}

/** What was taken, to the last unit, in the book, in the record, and in copies that are stored and read again. */
async function expectSameFigures({ record, copies }: Three, placed: readonly Placed[]): Promise<void> {
  const rows = await record.sql<Figures & { tenant: string; key: string; version: number }>(
    `SELECT tenant_id AS tenant, key, limit_amount AS limit, reserved, spent, version
     FROM balances WHERE tenant_id = ANY($1)`,
    [placed.map(({ tenantId }) => tenantId)],
  );
  const byPlace = new Map(rows.map(({ tenant, key, ...figures }) => [`${tenant} ${key}`, figures]));
  await Promise.all(
    placed.map(async ({ tenantId, book, balance, ...one }) => {
      const { tooLarge, fits, taken } = expectedOf(one);
      const isTaken = fits && !tooLarge;
      const job = { ...one.figures, version: VERSION };
      const figures = isTaken ? { ...job, reserved: one.figures.reserved + taken, version: VERSION + 1 } : job;
      const balances = balancesIn(book);
      expect(balances.find(({ key }) => key === balance.key)).toMatchObject(figures);
      await copies.remember(tenantId, balances, 0);
      const read = await copies.read(
        tenantId,
        balances.map(({ key }) => key),
      );
      for (const [i, { key, limit, reserved, spent, version }] of balances.entries()) {
        const here = { limit, reserved, spent, version };
        expect({ key, record: byPlace.get(`${tenantId} ${key}`), copy: read[i] }).toEqual({
          ...{ key, record: here, copy: here },
        });
      }
      expect(balances).toHaveLength(isTaken ? 2 : 1);
    }),
  );
}
