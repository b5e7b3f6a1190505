import { setTimeout as sleep } from "node:timers/promises";
import { EventClient, isEvent, tells } from "../support/event-stream.js";
import { startProcess, tenantWithJob, type Fixture, type HoldfastProcess, type Reply } from "../support/program.js";
import { startProxy } from "../support/proxy.js";
import { eventually } from "../support/record.js";
import { freshDatabase, redisUrl, type FreshDatabase } from "../support/services.js";

/** How soon a change by the operator holds everywhere, milliseconds. */
const reachesWithinMs = 2_000;

let database: FreshDatabase;
let replicas: HoldfastProcess[];
let keys = 0;

beforeAll(async () => {
  database = await freshDatabase();
  const settings = {
    HOLDFAST_ROLE: "api",
    HOLDFAST_DATABASE_URL: database.url,
    HOLDFAST_REDIS_URL: redisUrl(),
    HOLDFAST_REDIS_TIMEOUT_MS: "1000",
    HOLDFAST_COMMIT_TIMEOUT_MS: "5000",
  };
  replicas = await Promise.all([startProcess(settings), startProcess(settings)]);
});
afterAll(async () => {
  await Promise.all((replicas ?? []).map((replica) => replica.end("SIGTERM")));
  await database?.drop();
});

const at = (i: number) => replicas[i % replicas.length]!;
const reserve = (i: number, { key, job }: Fixture, units: number, idempotencyKey = `k${++keys}`): Promise<Reply> =>
  at(i).call(key, "POST", `/v1/jobs/${job}/reservations`, { amounts: { units } }, idempotencyKey);
const admin = (i: number, method: string, path: string, body?: object) =>
  at(i).call(at(i).adminKey, method, path, body);

async function figures(i: number, { key }: Fixture): Promise<object> {
  const { body } = await at(i).call(key, "GET", "/v1/balances?scope=tenant");
  return (body["data"] as object[])[0]!;
}

/** What both answer to reserves without a pause before a change, and from two seconds after it. */
async function trafficOver(tenant: Fixture, change: () => Promise<Reply>) {
  const [before, after] = [new Set<string>(), new Set<string>()];
  let [changing, over] = [false, false];
  let holdsFrom = Infinity;
  const caller = async (_: unknown, i: number): Promise<void> => {
    while (!over) {
      const sentAt = Date.now();
      const answer = `${i % 2}: ${(await reserve(i, tenant, 1)).status}`;
      if (!changing) before.add(answer);
      if (sentAt >= holdsFrom) after.add(answer);
    }
  };
  const callers = Array.from({ length: 6 }, caller);
  const bothIn = (answers: ReadonlySet<string>) =>
    ["0", "1"].every((i) => [...answers].some((one) => one.startsWith(i)));
  await sleep(300);
  await eventually(() => Promise.resolve(bothIn(before)));
  changing = true;
  expect([200, 204]).toContain((await change()).status);
  holdsFrom = Date.now() + reachesWithinMs;
  await sleep(reachesWithinMs + 300);
  await eventually(() => Promise.resolve(bothIn(after)));
  over = true;
  await Promise.all(callers);
  return { before, after };
}

interface Change {
  readonly name: string;
  /** The tenant's limit; default: enough for everything. */
  readonly limit?: number;
  readonly before?: (tenant: Fixture) => Promise<Reply>;
  readonly from: number;
  readonly to: number;
  readonly change: (tenant: Fixture) => Promise<Reply>;
}

type Doing = (tenant: Fixture) => Promise<Reply>;

const state =
  (word: "suspend" | "resume"): Doing =>
  ({ tenant }) =>
    admin(0, "POST", `/v1/admin/tenants/${tenant}/${word}`);
const limitTo =
  (limit: number, of = "", period?: string): Doing =>
  ({ tenant }) =>
    admin(0, "PUT", `/v1/admin/tenants/${tenant}${of}/allowances/units`, { limit, ...(period && { period }) });
const takeOwnLimit: Doing = ({ tenant }) =>
  admin(0, "DELETE", `/v1/admin/tenants/${tenant}/users/ann/allowances/units`);
const end =
  (word: "close" | "cancel"): Doing =>
  ({ key, job }) =>
    at(0).call(key, "POST", `/v1/jobs/${job}/${word}`);
const revoke: Doing = async ({ tenant }) => {
  const { body } = await admin(0, "GET", `/v1/admin/tenants/${tenant}/keys`);
  return admin(0, "DELETE", `/v1/admin/tenants/${tenant}/keys/${body["data"][0].id as string}`);
};

const changes: readonly Change[] = [
  { name: "a suspension", from: 201, to: 403, change: state("suspend") },
  { name: "a resumption", before: state("suspend"), from: 403, to: 201, change: state("resume") },
  { name: "a lower limit", from: 201, to: 402, change: limitTo(1) },
  { name: "a higher limit", limit: 0, from: 402, to: 201, change: limitTo(1_000_000) },
  { name: "a user's lower limit", from: 201, to: 402, change: limitTo(1, "/users/ann") },
  {
    name: "a user's higher limit",
    before: limitTo(0, "/users/ann"),
    from: 402,
    to: 201,
    change: limitTo(1_000_000, "/users/ann"),
  },
  {
    name: "the default once a user's own limit in a period of its own is taken away",
    before: limitTo(0, "/users/ann", "month"),
    from: 402,
    to: 201,
    change: takeOwnLimit,
  },
  { name: "the close of the job", from: 201, to: 409, change: end("close") },
  { name: "the cancel of a job that copies denied", limit: 0, from: 402, to: 409, change: end("cancel") },
  { name: "a revoked key", from: 201, to: 401, change: revoke },
];

/** A tenant with one job, which is ann's. */
async function fixtureOfAnn(limit: number): Promise<Fixture> {
  const tenant = await tenantWithJob(at(0), limit);
  const { body } = await at(0).call(tenant.key, "POST", "/v1/jobs", { user: "ann" }, "job-of-ann");
  return { ...tenant, job: body["id"] as string };
}

describe("two API processes on one record", () => {
  it("give one effect to a key that both get at once", async () => {
    const tenant = await tenantWithJob(at(0), 1_000);
    for (let round = 0; round < 30; round += 1) {
      const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => reserve(i, tenant, 10, `round-${round}`)));
      expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201));
      expect(new Set(answers.map(({ body }) => body["id"] as string)).size).toBe(1);
    }
    expect(await figures(1, tenant)).toMatchObject({ reserved: 300 });
  });

  it("make one job of a key that both get at once", async () => {
    const tenant = await tenantWithJob(at(0), 1_000);
    for (let round = 0; round < 20; round += 1) {
      const create = (i: number) => at(i).call(tenant.key, "POST", "/v1/jobs", { name: "one" }, `job-${round}`);
      const answers = await Promise.all(Array.from({ length: 6 }, (_, i) => create(i)));
      expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(201));
      expect(new Set(answers.map(({ body }) => body["id"] as string)).size).toBe(1);
    }
    const { body } = await at(1).call(tenant.key, "GET", "/v1/jobs?limit=500");
    expect(body["data"]).toHaveLength(21);
  });

  it("decide a key anew at one that the other refused it under", async () => {
    const tenant = await tenantWithJob(at(0), 10);
    expect((await reserve(0, tenant, 20, "again")).status).toBe(402);
    expect((await reserve(1, tenant, 20, "again")).status).toBe(402);
    expect((await limitTo(20)(tenant)).status).toBe(200);
    expect((await reserve(1, tenant, 20, "again")).status).toBe(201);
    expect((await reserve(0, tenant, 20, "again")).headers.get("idempotency-replayed")).toBe("true");
    expect((await reserve(0, tenant, 10, "again")).body["code"]).toBe("idempotency_key_reused");
  });

  it("admit together exactly the limit", async () => {
    const tenant = await tenantWithJob(at(0), 100);
    const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => reserve(i, tenant, 1)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(100);
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(100);
    expect(await figures(0, tenant)).toMatchObject({ reserved: 100, available: 0, overage: 0 });
  });

  it("admit at one what was settled at the other, at once", async () => {
    const tenant = await tenantWithJob(at(0), 100);
    let spent = 0;
    for (let round = 0; round < 20; round += 1) {
      const held = await reserve(round, tenant, 100 - spent);
      expect(held.status).toBe(201);
      expect((await reserve(round + 1, tenant, 1)).status).toBe(402);
      const path = `/v1/reservations/${held.body["id"] as string}/settle`;
      expect((await at(round).call(tenant.key, "POST", path, { actual: { units: 1 } })).status).toBe(200);
      spent += 1;
    }
    expect(await figures(1, tenant)).toMatchObject({ reserved: 0, spent });
  });

  it("bind by a limit that was changed at the other, in both directions, at once", async () => {
    const tenant = await tenantWithJob(at(0), 10);
    const path = `/v1/admin/tenants/${tenant.tenant}/allowances/units`;
    expect((await reserve(1, tenant, 20)).status).toBe(402);
    expect((await admin(0, "PUT", path, { limit: 20 })).status).toBe(200);
    expect((await reserve(1, tenant, 20)).status).toBe(201);
    expect((await admin(1, "PUT", path, { limit: 0 })).status).toBe(200);
    expect((await reserve(0, tenant, 1)).status).toBe(402);
  });

  it("refuse a suspended tenant at both, also under traffic that never pauses", async () => {
    const tenant = await tenantWithJob(at(0), 1_000_000);
    let going = true;
    const traffic = [0, 1].map(async (i) => {
      while (going) await reserve(i, tenant, 1);
    });
    await admin(0, "POST", `/v1/admin/tenants/${tenant.tenant}/suspend`);
    const refused = await Promise.all([reserve(0, tenant, 1), reserve(1, tenant, 1)]);
    going = false;
    await Promise.all(traffic);
    expect(refused.map(({ body }) => body["code"] as string)).toEqual(["tenant_suspended", "tenant_suspended"]);
  });

  it("settle once what is settled at both at once with different amounts", async () => {
    const tenant = await tenantWithJob(at(0), 1_000);
    for (let round = 0; round < 10; round += 1) {
      const path = `/v1/reservations/${(await reserve(round, tenant, 50)).body["id"] as string}/settle`;
      const settle = (i: number) => at(i).call(tenant.key, "POST", path, { actual: { units: 30 + (i % 2) } });
      const answers = await Promise.all(Array.from({ length: 6 }, (_, i) => settle(i)));
      expect(answers.map(({ status, body }) => body["code"] ?? status).sort()).toEqual([
        ...Array<number>(3).fill(200),
        ...Array<string>(3).fill("already_settled"),
      ]);
    }
    expect(await figures(1, tenant)).toMatchObject({ reserved: 0 });
  });

  it.each(changes)(
    "both hold to $name within two seconds, however constant the traffic, and stay with it",
    async ({ limit = 1_000_000, before: prepare, from, to, change }) => {
      const tenant = await fixtureOfAnn(limit);
      if (prepare) expect([200, 204]).toContain((await prepare(tenant)).status);
      const { before, after } = await trafficOver(tenant, () => change(tenant));
      expect({ before: [...before].sort(), after: [...after].sort() }).toEqual({
        before: [`0: ${from}`, `1: ${from}`],
        after: [`0: ${to}`, `1: ${to}`],
      });
    },
  );
});

it("a client of events that comes back to another process is told that all may have changed, and then what that one did not do", async () => {
  const tenant = await tenantWithJob(at(0), 1_000);
  const proxy = await startProxy(at(0).url);
  try {
    const first = await EventClient.connect(proxy.url, tenant.key, "/v1/events");
    await first.first(isEvent("everything"));
    proxy.aim(at(1).url);
    await first.ended;
    const second = await EventClient.connect(proxy.url, tenant.key, "/v1/events", first.lastId);
    await second.first(isEvent("everything"));
    expect((await reserve(0, tenant, 1)).status).toBe(201);
    await second.first(tells("ledger"));
    await second.close();
  } finally {
    await proxy.stop();
  }
}, 20_000);
