import { Redis } from "ioredis";
import pg from "pg";
import { Ledger } from "#libs/ledger";
import { PostgresRecord } from "../../libs/ledger/postgres/index.js";
import { RedisCopies } from "../../libs/ledger/redis/index.js";
import { NODE_RUNTIME } from "../../libs/ledger/protocol/runtime.js";
import { commandsOf } from "../support/commands.js";
import { answerOf, refusalOf, wordOf } from "../support/outcomes.js";
import { eventually, TestRecord } from "../support/record.js";
import { redisUrl } from "../support/services.js";

let record: TestRecord;
let redis: Redis;
let other: Ledger;
/** Called before copies are stored by the ledger under test. */
let beforeStoring: () => Promise<void>;
/** Milliseconds that the clock of its process is ahead. */
let skew: number;
let ledger: Ledger;

beforeAll(async () => {
  record = await TestRecord.start();
  redis = new Redis(redisUrl());
  other = record.open();
});

beforeEach(() => {
  beforeStoring = () => Promise.resolve();
  skew = 0;
  const copies = new RedisCopies({ url: redisUrl(), timeoutMs: 1_000, log: record.log });
  const remember = copies.remember.bind(copies);
  copies.remember = async (...args) => {
    await beforeStoring();
    return remember(...args);
  };
  const store = new PostgresRecord({
    url: record.database.url,
    timeoutMs: 5_000,
    batches: 2,
    onError: () => undefined,
  });
  const runtime = { ...NODE_RUNTIME, now: () => NODE_RUNTIME.now() + skew };
  ledger = new Ledger({ record: store, copies, runtime, log: record.log, commitTimeoutMs: 5_000 });
});

afterEach(async () => {
  await ledger.close();
  await record.expectSound();
});

afterAll(async () => {
  await record.stop();
  redis.disconnect();
});

/** A tenant of 100 tokens that are all held, as fresh copies say. */
async function fullTenant() {
  const tenantId = await record.newTenant({ allowances: { tokens: 100 } });
  const commands = commandsOf(tenantId);
  const jobId = answerOf(await ledger.execute(commands.createJob({ user: "ann" })))["id"] as string;
  const held = answerOf(await ledger.reserve(commands.reserve(jobId, 100)))["id"] as string;
  for (const one of [ledger, other]) refusalOf(await one.reserve(commands.reserve(jobId, 1)));
  return { tenantId, commands, jobId, held };
}

describe("storing copies", () => {
  it("comes before the answer of a command that gives room, so that whoever has the answer finds the room", async () => {
    const { tenantId, commands, jobId, held } = await fullTenant();
    let store = (): void => undefined;
    beforeStoring = () => new Promise((resolve) => (store = resolve));
    let isAnswered = false;
    const settling = ledger.execute(commands.settle(held, 60)).finally(() => (isAnswered = true));
    await eventually(async () => (await record.taken(tenantId))[1] === 60);
    expect(wordOf(await other.reserve(commands.reserve(jobId, 40)))).toBe("allowance_exhausted");
    expect(isAnswered).toBe(false);
    store();
    answerOf(await settling);
    expect(wordOf(await other.reserve(commands.reserve(jobId, 40)))).toBe("done");
  });

  it("is not waited for where a command only takes room", async () => {
    const { commands, jobId, held } = await fullTenant();
    answerOf(await ledger.execute(commands.settle(held, 60)));
    let store: (() => void) | undefined;
    beforeStoring = () => new Promise((resolve) => (store = resolve));
    answerOf(await ledger.reserve(commands.reserve(jobId, 40)));
    expect(store).toBeDefined();
    store!();
  });

  it("that fails keeps this process from denying by the older copies, for as long as those count as fresh", async () => {
    const { tenantId, commands, jobId, held } = await fullTenant();
    beforeStoring = () => Promise.reject(new Error("lost"));
    answerOf(await ledger.execute(commands.settle(held, 60)));
    beforeStoring = () => Promise.resolve();
    expect(await redis.get(`holdfast:{${tenantId}}:copy:tenant:${tenantId}:tokens:none`)).toContain(":100:100:0:");
    // So much later that Redis is tried again.
    skew = 300;
    expect(wordOf(await ledger.reserve(commands.reserve(jobId, 40)))).toBe("done");
  });
});

describe("a denial by copies", () => {
  it("that are no longer fresh reads the record again, but takes no lock", async () => {
    const { tenantId, commands, jobId } = await fullTenant();
    for (const key of await redis.keys(`holdfast:{${tenantId}}:*`)) {
      const [version, limit, reserved, spent, at] = (await redis.get(key))!.split(":");
      await redis.set(key, [version, limit, reserved, spent, Number(at) - 2_001].join(":"));
    }
    const locker = new pg.Client({ connectionString: record.database.url });
    await locker.connect();
    await locker.query("BEGIN");
    await locker.query("SELECT 1 FROM tenants WHERE id = $1 FOR UPDATE", [tenantId]);
    const denied = await Promise.all(Array.from({ length: 50 }, () => ledger.reserve(commands.reserve(jobId, 1))));
    expect(new Set(denied.map(wordOf))).toEqual(new Set(["allowance_exhausted"]));
    await locker.query("ROLLBACK");
    await locker.end();
  });

  it("names the scope that denies, also where its limit was set a moment ago and nothing was ever taken there", async () => {
    const { commands } = await fullTenant();
    const jobId = answerOf(await ledger.execute(commands.createJob({ user: "bob" })))["id"] as string;
    for (let i = 0; i < 2; i += 1)
      expect(refusalOf(await ledger.reserve(commands.reserve(jobId, 1))).denial?.scope.kind).toBe("tenant");
    answerOf(await ledger.execute(commands.configure({ change: "patch", userAllowance: { tokens: 0 } })));
    for (let i = 0; i < 2; i += 1)
      expect(refusalOf(await ledger.reserve(commands.reserve(jobId, 1))).denial?.scope.kind).toBe("user");
  });
});

it("a denial by copies says of which moment its figures are", async () => {
  const { commands, jobId } = await fullTenant();
  const ages = async (): Promise<number[]> => {
    const { grounds } = refusalOf(await other.reserve(commands.reserve(jobId, 1)));
    return grounds!.source === "copies" ? grounds!.figures.map(({ at }) => grounds!.at - at) : [0];
  };
  await eventually(async () => Math.min(...(await ages())) > 100);
  for (const age of await ages()) expect(age).toBeLessThanOrEqual(2_000);
});
