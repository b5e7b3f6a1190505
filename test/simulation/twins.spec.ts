import fc from "fast-check";
import {
  balanceKey,
  bookIn,
  decide,
  serviceBookId,
  type Attempt,
  type Balance,
  type Books,
  type ChangedBalance,
  type Job,
  type Reservation,
  type TenantBook,
} from "#libs/ledger";
import { PostgresRecord } from "../../libs/ledger/postgres/index.js";
import type { RecordStore } from "../../libs/ledger/protocol/ports.js";
import { RedisCopies } from "../../libs/ledger/redis/index.js";
import { commandOf, remember, settings, stepsOf, type Made, type Placed, type Step } from "../model/steps.js";
import { bookOf, NOON, type WholeBooks } from "../support/book.js";
import { fresh } from "../support/commands.js";
import { withoutTimes } from "../support/outcomes.js";
import { eventually, TestRecord } from "../support/record.js";
import { redisUrl } from "../support/services.js";
import { SimPostgres } from "./postgres.js";
import { REDIS_TIMEOUT_MS, SimProcess } from "./process.js";
import { Random } from "../support/random.js";
import { SimRecord } from "./record-store.js";
import { SimRedis } from "./redis.js";
import { actor, Scheduler } from "./scheduler.js";
import type { TenantTables } from "./tables.js";
import { Wire } from "./wire.js";

let real: TestRecord;
let copies: RedisCopies;

beforeAll(async () => {
  real = await TestRecord.start();
  copies = new RedisCopies({ url: redisUrl(), timeoutMs: 2_000, log: quiet });
  await eventually(async () => copies.connected);
});

afterAll(async () => {
  copies.close();
  await real.stop();
});

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** A simulated record and whatever else a process needs, with nothing that disturbs. */
function simulated() {
  const scheduler = new Scheduler();
  const random = new Random(1);
  const findings: string[] = [];
  const postgres = new SimPostgres(
    scheduler,
    NOON,
    900,
    () => undefined,
    () => findings.push("a deadlock"),
  );
  const settle = async <T>(work: Promise<T>): Promise<T> => {
    let isOver = false;
    const over = (): void => void (isOver = true);
    work.then(over, over);
    // What is due before the work has asked for anything.
    scheduler.after(0, () => undefined);
    await scheduler.run(() => isOver);
    return work;
  };
  return { scheduler, random, postgres, settle };
}

describe("the simulated Redis", () => {
  const figures = fc.record({ limit: fc.option(fc.nat(12)), reserved: fc.nat(12), spent: fc.nat(12) });
  const key = fc.constantFrom("job:a:tokens:none", "user:b:tokens:none", "tenant:c:tokens:none");
  const step = fc.oneof(
    fc.record({
      kind: fc.constant("remember" as const),
      key,
      figures,
      version: fc.nat(5),
      ageMs: fc.constantFrom(0, 1_000, 30_000),
    }),
    fc.record({
      kind: fc.constant("judge" as const),
      holds: fc.array(fc.record({ key, amount: fc.nat(15) }), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant("forget" as const), key }),
  );

  it("judges and remembers as the scripts do", async () => {
    const scheduler = new Scheduler();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (run) => {
        const tenantId = fresh("ten");
        const twin = new SimRedis("redis", scheduler, NOON);
        for (const one of run) {
          if (one.kind === "judge") {
            const judged = await copies.judge(tenantId, [one.holds], 10_000);
            expect(withoutTimes(twin.judge(tenantId, [one.holds], 10_000))).toEqual(withoutTimes(judged));
          } else if (one.kind === "forget") {
            twin.forget(tenantId, [one.key]);
            await copies.forget(tenantId, [one.key]);
          } else {
            const balance = { key: one.key, version: one.version, ...one.figures } as Balance;
            twin.remember(tenantId, [balance], one.ageMs);
            await copies.remember(tenantId, [balance], one.ageMs);
          }
        }
        const keys = ["job:a:tokens:none", "user:b:tokens:none", "tenant:c:tokens:none"];
        expect(twin.read(tenantId, keys)).toEqual(await copies.read(tenantId, keys));
      }),
      { numRuns: 150 },
    );
  });
});

describe("a ledger on the simulated record", () => {
  it("answers every command as the bare rules do, and ends with the same rows", async () => {
    await fc.assert(
      fc.asyncProperty(settings, stepsOf(10, 40), async (given, run) => {
        const { scheduler, random, postgres, settle } = simulated();
        const redis = new SimRedis("redis", scheduler, NOON);
        const process = new SimProcess("api", { scheduler, random, postgres, log: quiet, tailMs: 10 }, redis);
        const shelf: WholeBooks = new Map();
        const service = fresh("svc");
        const books = given.map((one) => bookOf(one, undefined, shelf));
        bookOf({ allowances: { tokens: 150 } }, serviceBookId(service), shelf);
        for (const { tenant, settings: set } of shelf.values())
          postgres.addTenant({ tenant: { ...tenant! }, settings: { ...set } });
        const made = books.map(({ tenantId }): Made => ({ tenantId, service, jobs: [], reservations: [], sent: [] }));
        for (const { tenant, action } of run.flatMap(placedIn)) {
          const command = commandOf(action, made[tenant]!);
          // The record's clock runs with virtual time: its time under the lock is that of the answer's batch.
          postgres.clockAhead = NOON - scheduler.now;
          const answer = await settle(process.handle(command));
          const expected = decide(shelf.get(command.tenantId)!, command, NOON);
          // A few virtual milliseconds pass in a batch; instants are compared elsewhere, on a clock that stands.
          expect({ command, answer: withoutTimes(answer) }).toEqual({ command, answer: withoutTimes(expected) });
          remember(made[tenant]!, command, expected);
          // An admission is answered before the copies know of it, and the next denial must show it.
          await settle(scheduler.sleep(REDIS_TIMEOUT_MS));
        }
        for (const [id, book] of shelf) expect(rowsOf(postgres.tables.get(id)!)).toEqual(rowsOf(book));
      }),
      { numRuns: 60 },
    );
  });
});

function placedIn(step: Step): readonly Placed[] {
  if (step.type === "advance") return [];
  return step.type === "one" ? [step.placed] : step.actions;
}

function rowsOf({ balances, jobs, reservations, attempts, keys }: TenantTables | TenantBook): unknown {
  const list = (rows: { rows: Map<string, unknown> } | Map<string, unknown>) =>
    [...("rows" in rows ? rows.rows : rows).entries()]
      .filter(([, row]) => row !== null)
      .sort(([a], [b]) => (a < b ? -1 : 1));
  const ids = list(keys).map(([key]) => key);
  return withoutTimes([list(balances), list(jobs), list(reservations), list(attempts), ids]);
}

describe("the simulated record and PostgreSQL refuse alike", () => {
  const job = (id: string): Job => ({
    id,
    user: null,
    name: null,
    labels: {},
    allowance: {},
    ancestors: [],
    wouldDeny: null,
    state: "open",
    createdAt: NOON,
    closedAt: null,
  });
  const reservation = (id: string): Reservation => ({
    ...{ id, jobId: "job_1", user: null, state: "open", plan: null, keys: [], actual: null },
    ...{ service: null, serviceKeys: [] },
    ...{ reserved: { tokens: 1 }, held: { tokens: 1 }, charged: { tokens: 0 }, ancestors: [] },
    ...{ late: false, wouldDeny: null, createdAt: NOON, expiresAt: NOON + 1_000, closedAt: null },
  });
  const attempt: Attempt = {
    ...{ reservationId: "rsv_1", child: 1, attempt: 1, outcome: "succeeded" },
    ...{ actual: { tokens: 1 }, freed: { tokens: 1 }, late: false, at: NOON, permit: null },
  };
  const balance = (tenantId: string, more: Partial<Balance>): Balance => {
    const scope = { kind: "tenant", id: tenantId } as const;
    const key = balanceKey(scope, "tokens", "none");
    return { key, scope, unit: "tokens", window: "none", limit: 10, reserved: 0, spent: 0, version: 1, ...more };
  };
  const change = (book: TenantBook, given: Balance, more: Omit<ChangedBalance, "balance">): void =>
    void book.changes.balances.set(given.key, { balance: given, ...more });
  const key = (name: string) => ({ key: name, fingerprint: "f", answer: "{}", createdAt: NOON });

  const CASES: Record<string, { first?: (book: TenantBook) => void; then: (book: TenantBook) => void }> = {
    "a balance of another version": {
      first: (book) => change(book, balance(book.tenantId, {}), { readVersion: 0, bound: true }),
      then: (book) => change(book, balance(book.tenantId, { version: 8 }), { readVersion: 7, bound: false }),
    },
    "a new balance that is there": {
      first: (book) => change(book, balance(book.tenantId, {}), { readVersion: 0, bound: true }),
      then: (book) => change(book, balance(book.tenantId, {}), { readVersion: 0, bound: true }),
    },
    "an attempt that was charged": {
      first: (book) => book.changes.newAttempts.push(attempt),
      then: (book) => book.changes.newAttempts.push({ ...attempt, outcome: "failed" }),
    },
    "an admission over the limit, on a new balance": {
      then: (book) => change(book, balance(book.tenantId, { reserved: 11 }), { readVersion: 0, bound: true }),
    },
    "an admission over the limit": {
      first: (book) => change(book, balance(book.tenantId, {}), { readVersion: 0, bound: true }),
      then: (book) =>
        change(book, balance(book.tenantId, { reserved: 6, spent: 5, version: 2 }), { readVersion: 1, bound: true }),
    },
    "a key in use": {
      first: (book) => book.changes.keys.push(key("K")),
      then: (book) => book.changes.keys.push(key("K")),
    },
    "a key twice": { then: (book) => book.changes.keys.push(key("K"), key("K")) },
    "a job in use": {
      first: (book) => book.changes.newJobs.push(job("job_1")),
      then: (book) => book.changes.newJobs.push(job("job_1")),
    },
    "a job that is not there": { then: (book) => book.changes.jobs.add(job("job_2")) },
    "a reservation in use": {
      first: (book) => book.changes.newReservations.push(reservation("rsv_1")),
      then: (book) => book.changes.newReservations.push(reservation("rsv_1")),
    },
    "a reservation that is not there": { then: (book) => book.changes.reservations.add(reservation("rsv_2")) },
    "a tenant that is not newer": { then: (book) => void (book.changes.tenant = true) },
  };

  it.each(Object.entries(CASES))("%s", async (_, { first, then }) => {
    const { scheduler, random, postgres, settle } = simulated();
    const twin = new SimRecord(postgres, new Wire(scheduler, random, 10), actor("api"), 900);
    const store = new PostgresRecord({
      url: real.database.url,
      timeoutMs: 5_000,
      batches: 1,
      onError: () => undefined,
    });
    const tenantId = await real.newTenant();
    const book = bookOf({}, tenantId);
    postgres.addTenant({ tenant: book.tenant!, settings: book.settings });
    const commit = async (record: RecordStore, changing: (book: TenantBook) => void): Promise<string> => {
      const books: Books = new Map();
      bookIn(books, tenantId);
      const transaction = await record.begin(books, []);
      changing(books.get(tenantId)!);
      return transaction.commit(books).then(
        () => "committed",
        (error: unknown) => (record.isUnavailable(error) ? "unavailable" : "refused"),
      );
    };
    for (const [record, run] of [
      [twin, settle],
      [store, <T>(work: Promise<T>) => work],
    ] as const) {
      if (first) expect(await run(commit(record, first))).toBe("committed");
      expect(await run(commit(record, then))).toBe("refused");
    }
    await store.close();
  });
});
