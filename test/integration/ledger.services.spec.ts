import pg from "pg";
import { serviceBookId, type Ledger } from "#libs/ledger";
import { commandsOf } from "../support/commands.js";
import { answerOf, refusalOf, tally } from "../support/outcomes.js";
import { eventually, TestRecord } from "../support/record.js";

let record: TestRecord;
let here: Ledger;
let there: Ledger;

beforeAll(async () => {
  record = await TestRecord.start();
  [here, there] = [record.open(), record.open()];
});

afterEach(() => record.expectSound());
afterAll(() => record.stop());

async function tenantWithJob() {
  const tenantId = await record.newTenant({ allowances: { tokens: 1_000_000 } });
  const commands = commandsOf(tenantId);
  const jobId = answerOf(await here.execute(commands.createJob()))["id"] as string;
  return {
    tenantId,
    commands,
    reserve: (tokens: number, service: string) => commands.reserve(jobId, tokens, { service }),
  };
}

async function locking<T>(sql: string, values: unknown[], work: (unlock: () => Promise<unknown>) => Promise<T>) {
  const locker = new pg.Client({ connectionString: record.database.url });
  await locker.connect();
  await locker.query("BEGIN");
  await locker.query(sql, values);
  try {
    return await work(() => locker.query("ROLLBACK"));
  } finally {
    await locker.end();
  }
}

const LOCK = "SELECT 1 FROM services WHERE name = $1 FOR UPDATE";

describe("the book of a service", () => {
  it("denies by fresh copies without a lock, whichever tenant took its room", async () => {
    const service = await record.newService({ tokens: 100 });
    const [one, other] = [await tenantWithJob(), await tenantWithJob()];
    answerOf(await here.reserve(one.reserve(100, service)));
    await eventually(async () => (await there.reserve(other.reserve(1, service))).type === "refused");
    const denied = await locking(LOCK, [service], () =>
      Promise.all(Array.from({ length: 500 }, () => there.reserve(other.reserve(1, service)))),
    );
    expect(tally(denied)).toEqual({ allowance_exhausted: 500 });
    expect(refusalOf(denied[0]!).denial).toMatchObject({
      ...{ scope: { kind: "service", id: service }, limit: 100, reserved: 100, available: 0, requested: 1 },
    });
  });

  it("denies what passes a tenant's share by fresh copies, without a lock, and says whose it is", async () => {
    const service = await record.newService({ tokens: 1_000 });
    const { tenantId, commands, reserve } = await tenantWithJob();
    const allowances = { tokens: { limit: 100, period: "none", timeZone: "UTC" } } as const;
    answerOf(await here.execute(commands.configure({ change: "share", service, allowances, flow: {} })));
    answerOf(await here.reserve(reserve(100, service)));
    await eventually(async () => (await there.reserve(reserve(1, service))).type === "refused");
    const denied = await locking(LOCK, [service], () =>
      Promise.all(Array.from({ length: 100 }, () => there.reserve(reserve(1, service)))),
    );
    expect(tally(denied)).toEqual({ allowance_exhausted: 100 });
    expect(refusalOf(denied[0]!).denial).toMatchObject({
      ...{ scope: { kind: "service", id: service, tenantId } },
      ...{ limit: 100, reserved: 100, available: 0, requested: 1 },
    });
  });

  it("lets whoever is told of room that was given back find it at once, at another process and for another tenant", async () => {
    const service = await record.newService({ tokens: 100 });
    const tenants = [await tenantWithJob(), await tenantWithJob()];
    let last = answerOf(await here.reserve(tenants[0]!.reserve(100, service)))["id"] as string;
    for (let round = 0; round < 60; round += 1) {
      const [giver, taker] = round % 2 ? [here, there] : [there, here];
      answerOf(await giver.execute(tenants[round % 2]!.commands.release(last)));
      last = answerOf(await taker.reserve(tenants[(round + 1) % 2]!.reserve(100, service)))["id"] as string;
    }
  });

  it("is locked behind the tenants and in one order, so that no two batches wait for each other", async () => {
    const services = [await record.newService(), await record.newService()].sort();
    const tenants = [await tenantWithJob(), await tenantWithJob()];
    const held = await Promise.all(
      tenants.map(async ({ reserve, commands }, i) => {
        const id = answerOf(await here.reserve(reserve(1, services[i]!)))["id"] as string;
        return commands.settle(id, 1);
      }),
    );
    // Each names one service, in another order, and finds the other by a reservation.
    const batches = [
      [there, held[1]!, tenants[1]!.reserve(1, services[0]!)],
      [here, tenants[0]!.reserve(1, services[1]!), held[0]!],
    ] as const;
    const outcomes = await locking(LOCK, [services[1]], async (unlock) => {
      const working = batches.map(([ledger, ...commands]) => Promise.all(commands.map((one) => ledger.execute(one))));
      const waiting =
        "SELECT count(*) AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
      await eventually(async () => (await record.sql<{ n: number }>(waiting))[0]!.n === 2);
      await unlock();
      return Promise.all(working);
    });
    expect(tally(outcomes.flat())).toEqual({ done: 4 });
    const [{ deadlocks }] = (await record.sql(
      "SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()",
    )) as [{ deadlocks: number }];
    expect(deadlocks).toBe(0);
    for (const service of services) expect(await record.taken(serviceBookId(service), "service:")).toEqual([1, 1]);
  });
});
