import pg from "pg";
import { startHoldfast, type Holdfast } from "../support/http.js";
import { ADMIN_KEY } from "../support/program.js";
import { audit } from "./auditor.js";
import { Clients } from "./client.js";
import { isDone, type Logged, type Reply, type Request } from "./operation.js";
import { Random } from "./random.js";
import { Requests } from "./requests.js";
import { newTenant, type Tenant } from "./tenants.js";

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
const ids = { job: "", settled: "", released: "", open: "", key: "", refusedKey: "", adjustKey: "" };

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

function reserve(tokens: number, ttlMs = 60_000): Request {
  return requests.reserveAt(tenant, ids.job, { amounts: { tokens }, ttlMs });
}

beforeAll(async () => {
  holdfast = await startHoldfast();
  clients = new Clients([holdfast.url], ADMIN_KEY);
  tenant = await newTenant(clients, shape);
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
    const { findings } = await audit({ client, tenants: [tenant], log, sweepIntervalMs: 1_000, disturbances: [] });
    return findings.map(({ kind, what }) => `${kind}: ${what}`);
  } finally {
    await client.query("ROLLBACK");
  }
}

const copyOf = (where: string) => `
  INSERT INTO ledger_entries (tenant_id, at, type, unit, reserved, spent, keys, reservation_id, job_id, user_name, detail)
  SELECT tenant_id, at, type, unit, reserved, spent, keys, reservation_id, job_id, user_name, detail
  FROM ledger_entries WHERE ${where}`;

/** The title, what is done to the record, and the beginning of what must be said. */
const lies: [title: string, sql: () => string, said: RegExp][] = [
  [
    "an acknowledged reservation that is gone",
    () => `DELETE FROM reservations WHERE id = '${ids.open}'`,
    /^lost: .* reserve .* is not there/,
  ],
  [
    "one with another amount",
    () => `UPDATE reservations SET reserved = '{"tokens":29}' WHERE id = '${ids.open}'`,
    /^lost: .* reserve .* is /,
  ],
  ["a job that is gone", () => `DELETE FROM jobs WHERE id = '${ids.job}'`, /^lost: .* createJob .* is not there/],
  [
    "a key that is gone",
    () => `DELETE FROM idempotency_keys WHERE key = 't:${ids.key}'`,
    /^lost: .* its key is not there/,
  ],
  [
    "a settlement that is undone",
    () => `UPDATE reservations SET state = 'open', actual = NULL WHERE id = '${ids.settled}'`,
    /^lost: .* settle/,
  ],
  [
    "a settlement with another amount",
    () => `UPDATE reservations SET actual = '{"tokens":61}' WHERE id = '${ids.settled}'`,
    /^lost: .* settle/,
  ],
  [
    "a release that is undone",
    () => `UPDATE reservations SET state = 'open' WHERE id = '${ids.released}'`,
    /^lost: .* release/,
  ],
  [
    "an extension that is undone",
    () => `UPDATE reservations SET expires_at = expires_at - interval '50 seconds' WHERE id = '${ids.open}'`,
    /^lost: .* extend/,
  ],
  [
    "a limit that was never set",
    () => `DELETE FROM ledger_entries WHERE detail ->> 'to' IN ('777', '782')`,
    /^lost: .* setLimit/,
  ],
  [
    "an adjustment that is gone",
    () => `DELETE FROM ledger_entries WHERE detail ->> 'reason' = '${ids.adjustKey}'`,
    /^lost: .* adjust/,
  ],
  [
    "an adjustment by another amount",
    () => `UPDATE ledger_entries SET detail = (detail::jsonb || '{"to":781}')::json WHERE detail ->> 'to' = '782'`,
    /^lost: .* adjust/,
  ],
  [
    "a tenant that stayed suspended",
    () => `UPDATE tenants SET state = 'suspended' WHERE id = '${tenant.id}'`,
    /^lost: .* suspended/,
  ],
  [
    "a settlement that was booked twice",
    () => copyOf(`reservation_id = '${ids.settled}' AND type = 'settle'`),
    /^doubled: .* spent/,
  ],
  ["a reservation that was taken twice", () => copyOf(`reservation_id = '${ids.open}'`), /^doubled: .* taken/],
  [
    "a reservation that was returned twice",
    () => copyOf(`reservation_id = '${ids.released}' AND type = 'release'`),
    /^doubled: .* returned/,
  ],
  [
    "an adjustment that was made twice",
    () => copyOf(`detail ->> 'reason' = '${ids.adjustKey}'`),
    /^doubled: .* adjust/,
  ],
  [
    "a second reservation under one key",
    () => `INSERT INTO reservations (tenant_id, id, job_id, state, reserved, held, charged, keys, created_at, expires_at)
      SELECT tenant_id, id || 'x', job_id, 'released', reserved, held, charged, keys, created_at, expires_at FROM reservations WHERE id = '${ids.open}'`,
    /^doubled: .*x is the effect of no key/,
  ],
  [
    "another answer under the same key",
    () =>
      `UPDATE idempotency_keys SET answer = replace(answer, '${ids.open}', '${ids.released}') WHERE key = 't:${ids.key}'`,
    /^doubled: .* answers/,
  ],
  [
    "an admission above the limit",
    () => `UPDATE ledger_entries SET reserved = 941 WHERE reservation_id = '${ids.open}'`,
    /^overspent: .* at tenant:/,
  ],
  [
    "an admission above a limit lowered before",
    () =>
      `UPDATE ledger_entries SET detail = (detail::jsonb || '{"to":50}')::json WHERE detail ->> 'to' = '782'; ${copyOf(`reservation_id = '${ids.open}'`)}`,
    /^overspent: .* at tenant:/,
  ],
  [
    "an admission above a user's limit",
    () => `UPDATE ledger_entries SET reserved = 441 WHERE reservation_id = '${ids.open}'`,
    /^overspent: .* at user:ann/,
  ],
  [
    "an admission above a job's limit",
    () => `UPDATE ledger_entries SET reserved = 241 WHERE reservation_id = '${ids.open}'`,
    /^overspent: .* at job:/,
  ],
  [
    "an admission above a user's limit that was booked elsewhere only",
    () => `UPDATE ledger_entries SET reserved = 441, keys = ARRAY(SELECT key FROM unnest(keys) AS key WHERE key NOT LIKE 'user:%')
      WHERE reservation_id = '${ids.open}'`,
    /^overspent: .* at user:ann/,
  ],
  [
    "a scope that was left out",
    () => `UPDATE reservations SET keys = keys[2:] WHERE id = '${ids.open}'`,
    /^other: .* counts at .* and not at/,
  ],
  [
    "a job of another user than was asked",
    () => `UPDATE jobs SET user_name = NULL WHERE id = '${ids.job}'`,
    /^lost: .* createJob/,
  ],
  [
    "a limit that was set for somebody else",
    () =>
      `UPDATE ledger_entries SET detail = jsonb_set(detail::jsonb, '{scope,id}', '"bob"')::json WHERE detail ->> 'to' IN ('777', '782')`,
    /^lost: .* setLimit/,
  ],
  [
    "an amount that nothing accounts for",
    () => `UPDATE balances SET spent = spent + 1 WHERE kind = 'tenant'`,
    /^other: .* does not follow/,
  ],
  [
    "a hold that nobody has",
    () => `UPDATE balances SET reserved = reserved + 1 WHERE kind = 'user'`,
    /^other: .* does not follow/,
  ],
  [
    "a limit that is not the one set",
    () => `UPDATE balances SET limit_amount = 783 WHERE kind = 'tenant'`,
    /^other: .* does not follow/,
  ],
  [
    "a reservation that is open past its deadline",
    () => `UPDATE reservations SET expires_at = holdfast_now() - interval '6 seconds' WHERE id = '${ids.open}'`,
    /^other: .* past its deadline/,
  ],
  [
    "a refusal that had an effect",
    () =>
      `INSERT INTO idempotency_keys SELECT tenant_id, 't:${ids.refusedKey}', fingerprint, answer, created_at FROM idempotency_keys WHERE key = 't:${ids.key}'`,
    /^other: .* was refused and had an effect/,
  ],
];

describe("the auditor", () => {
  it("says nothing about an honest record", async () => {
    expect(await seen("SELECT 1")).toEqual([]);
  });

  it.each(lies)("sees %s", async (_, sql, said) => {
    expect(await seen(sql())).toContainEqual(expect.stringMatching(said));
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
