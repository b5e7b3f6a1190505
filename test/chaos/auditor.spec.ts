import pg from "pg";
import { startHoldfast, type Holdfast } from "../support/http.js";
import { ADMIN_KEY } from "../support/program.js";
import { audit } from "./auditor.js";
import { Clients } from "./client.js";
import type { History } from "./lie.js";
import { LIES } from "./lies.js";
import { isDone, type Logged, type Reply, type Request } from "./operation.js";
import { Random } from "./random.js";
import { Requests } from "./requests.js";
import { newService, newTenant, SHARED, type Tenant } from "./tenants.js";

/** An honest little history; each test plants one lie in it, within a transaction that is rolled back. */

const shape = {
  name: "honest",
  allowances: { tokens: { limit: 1_000 } },
  userAllowance: { tokens: 500 },
  jobAllowance: { tokens: 300 },
  users: ["ann"],
  weight: 1,
};

let holdfast: Holdfast;
let clients: Clients;
let client: pg.Client;
let tenant: Tenant;
const requests = new Requests(new Random(1), "k");
const ids: History = {
  tenant: "",
  job: "",
  settled: "",
  released: "",
  shared: "",
  open: "",
  key: "",
  refusedKey: "",
  adjustKey: "",
};

async function reply(request: Request): Promise<Exclude<Reply, "unknown">> {
  const given = await clients.ask(holdfast.url, request);
  if (given === "unknown") throw new Error(`${request.kind} was not answered`);
  return given;
}

async function done(request: Request): Promise<string> {
  const { status, body } = await reply(request);
  if (!isDone({ status, body, replayed: false })) throw new Error(JSON.stringify(body));
  return body.id;
}

function reserve(tokens: number, ttlMs = 60_000, more: object = {}): Request {
  return requests.reserveAt(tenant, ids.job, { amounts: { tokens }, ttlMs, ...more });
}

beforeAll(async () => {
  holdfast = await startHoldfast();
  clients = new Clients([holdfast.url], ADMIN_KEY);
  tenant = await newTenant(clients, shape);
  await newService(clients, SHARED, [tenant]);
  ids.tenant = tenant.id;
  const onReservation = (kind: "settle" | "release" | "extend", id: string, body?: object): Request => ({
    ...{ kind, tenant, method: "POST", path: `/v1/reservations/${id}/${kind}`, key: null },
    ...(body && { body }),
  });
  ids.job = await done(requests.createJobOf(tenant, { user: "ann" }));
  ids.settled = await done(reserve(100));
  await done(onReservation("settle", ids.settled, { actual: { tokens: 60 } }));
  ids.released = await done(reserve(40));
  await done(onReservation("release", ids.released));
  const open = reserve(30, 5_000);
  ids.open = await done(open);
  ids.key = open.key!;
  await done(onReservation("extend", ids.open, { ttlMs: 60_000 }));
  const charge = requests.charge(tenant, { id: ids.open, reserved: { tokens: 30 } });
  await done({ ...charge, body: { child: 1, attempt: 1, outcome: "failed", actual: { tokens: 7 } } });
  await done(requests.setServiceLimit(tenant, 900));
  ids.shared = await done(reserve(20, 60_000, { service: SHARED.name }));
  const refused = reserve(5_000);
  ids.refusedKey = refused.key!;
  expect((await reply(refused)).status).toBe(402);
  await done(requests.admin(tenant, "setLimit", "PUT", "allowances/tokens", { limit: 777 }));
  const adjust = requests.admin(tenant, "adjust", "POST", "allowances/tokens/adjust", { delta: 5 });
  ids.adjustKey = adjust.key!;
  await done(adjust);
  await done(requests.admin(tenant, "suspend", "POST", "suspend"));
  await done(requests.admin(tenant, "resume", "POST", "resume"));
  client = new pg.Client({ connectionString: holdfast.record.options.connectionString! });
  await client.connect();
});
afterAll(async () => {
  await client?.end();
  await clients?.close();
  await holdfast?.stop();
});

/** What the auditor says, each with its kind, after this was done to the record. */
async function seen(sql: string, log: readonly Logged[] = clients.log): Promise<string[]> {
  await client.query("BEGIN");
  try {
    await client.query(sql);
    const { findings } = await audit({
      ...{ client, tenants: [tenant], services: [SHARED], log, sweepIntervalMs: 1_000, disturbances: [] },
    });
    return findings.map(({ kind, what }) => `${kind}: ${what}`);
  } finally {
    await client.query("ROLLBACK");
  }
}

describe("the auditor", () => {
  it("says nothing about an honest record", async () => {
    expect(await seen("SELECT 1")).toEqual([]);
  });

  it.each(LIES)("sees %s", async (_, sql, said) => {
    expect(await seen(sql(ids))).toContainEqual(expect.stringMatching(said));
  });

  it.each([
    [500, "internal", "other"],
    [404, "not_found", "lost"],
    [422, "idempotency_key_reused", "other"],
    [401, "unauthenticated", "other"],
  ])("sees an answer that no client provoked: %d", async (status, code, kind) => {
    const [first] = clients.log as [Logged];
    const body = { ...(first.replies[0] as Exclude<Reply, "unknown">).body, code };
    const wrong = { ...first, replies: [{ status, body, replayed: false }] };
    const said = await seen("SELECT 1", [wrong]);
    expect(said).toContainEqual(expect.stringMatching(new RegExp(`^${kind}: .* was answered ${status}`)));
  });

  it("sees two effects that one key was told of", async () => {
    const kept = clients.log.find(({ key }) => key === ids.key)!;
    const [answer] = kept.replies as [Exclude<Reply, "unknown">];
    const other = { ...answer, body: { ...answer.body, id: ids.released } };
    const said = await seen("SELECT 1", [{ ...kept, replies: [answer, other] }]);
    expect(said).toContainEqual(expect.stringMatching(/^doubled: .* answers/));
    expect(said).toContainEqual(expect.stringMatching(/^doubled: .* took effect twice/));
  });

  it("sees work that was admitted to a suspended tenant", async () => {
    const kept = clients.log.find(({ key }) => key === ids.key)!;
    const suspended = clients.log.find(({ kind }) => kind === "suspend")!;
    const within = { ...kept, sentAt: suspended.answeredAt + 0.001, answeredAt: suspended.answeredAt + 0.002 };
    const log = clients.log.map((one) => (one === kept ? within : one));
    const resumed = log.findIndex(({ kind }) => kind === "resume");
    log[resumed] = { ...log[resumed]!, sentAt: suspended.answeredAt + 1 };
    expect(await seen("SELECT 1", log)).toContainEqual(
      expect.stringMatching(/^other: .* while the tenant was suspended/),
    );
  });
});
