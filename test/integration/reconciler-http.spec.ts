import { performance } from "node:perf_hooks";
import { freshDatabase, redisUrl, type FreshDatabase } from "../support/services.js";
import { end, startInstance, until, type Instance } from "./reconciler-fixtures.js";

const ADMIN = "an-admin-key-for-tests";
const SWEEP_MS = 500;

let database: FreshDatabase;
let api: Instance;
let reconciler: Instance;
let url: string;

interface Answer<T> {
  readonly status: number;
  readonly body: T;
}

async function call<T = Record<string, unknown>>(
  key: string,
  method: string,
  path: string,
  body?: object,
): Promise<Answer<T>> {
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body && { "content-type": "application/json", "idempotency-key": `k${performance.now()}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as T };
}

async function givenTenantKey(): Promise<string> {
  const allowances = { tokens: { limit: 100 } };
  const tenant = await call<{ id: string }>(ADMIN, "POST", "/v1/admin/tenants", { name: "a", allowances });
  const key = await call<{ key: string }>(ADMIN, "POST", `/v1/admin/tenants/${tenant.body.id}/keys`, { name: "a" });
  return key.body.key;
}

beforeAll(async () => {
  database = await freshDatabase();
  const env = {
    HOLDFAST_SWEEP_INTERVAL_MS: String(SWEEP_MS),
    HOLDFAST_REDIS_URL: redisUrl(),
    HOLDFAST_LOG_LEVEL: "error",
  };
  const apiEnv = { ...env, HOLDFAST_ROLE: "api", HOLDFAST_PORT: "0", HOLDFAST_ADMIN_KEY: ADMIN };
  [api, reconciler] = await Promise.all([startInstance(database.url, apiEnv), startInstance(database.url, env)]);
  url = /http:\/\/\S+/.exec(api.output.join("\n"))![0];
});

afterAll(async () => {
  reconciler.child.kill("SIGCONT");
  await Promise.all([end(api), end(reconciler)]);
  await database.drop();
});

it("gives a hold back by its deadline and one sweep, in the balance, the reservation and the ledger", async () => {
  const key = await givenTenantKey();
  const job = await call<{ id: string }>(key, "POST", "/v1/jobs", {});
  const ask = { amounts: { tokens: 100 }, ttlMs: 1_000 };
  const held = await call<{ id: string; expiresAt: string }>(key, "POST", `/v1/jobs/${job.body.id}/reservations`, ask);
  expect(held.status).toBe(201);
  const read = () => call<{ state: string; closedAt: string }>(key, "GET", `/v1/reservations/${held.body.id}`);
  await until("it expires", async () => (await read()).body.state === "expired");
  // A sweep begins within an interval of the deadline, and takes a moment.
  const overtime = Date.parse((await read()).body.closedAt) - Date.parse(held.body.expiresAt);
  expect(overtime).toBeLessThan(SWEEP_MS + 500);
  const balances = await call<{ data: object[] }>(key, "GET", "/v1/balances?scope=tenant");
  expect(balances.body.data).toMatchObject([{ limit: 100, reserved: 0, spent: 0, available: 100 }]);
  const entries = await call<{ data: { type: string }[] }>(key, "GET", "/v1/ledger");
  expect(entries.body.data.filter(({ type }) => type === "expire")).toHaveLength(1);
});

it("runs tasks at once for the API, and shows them in the history and in the audit", async () => {
  const asked = await call<{ data: { id: string }[] }>(ADMIN, "POST", "/v1/admin/reconcile", {
    tasks: ["audit", "retention"],
  });
  expect(asked).toMatchObject({
    status: 200,
    body: {
      data: [
        { task: "audit", outcome: "ok" },
        { task: "retention", outcome: "ok" },
      ],
    },
  });
  const ids = asked.body.data.map(({ id }) => id);
  const history = await call<{ data: { id: string }[] }>(ADMIN, "GET", "/v1/admin/reconcile/runs?limit=100");
  expect(history.body.data.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
  const audit = await call(ADMIN, "GET", "/v1/admin/audit");
  expect(audit).toMatchObject({ status: 200, body: { id: ids[0], failed: 0, detail: { differences: 0 } } });
});

it("turns unready when sweeps stop, says how old the last one is, and ready again when they go on", async () => {
  interface Ready {
    readonly checks: { readonly sweep: { readonly status: string; readonly ageMs: number } };
  }
  const ready = () => call<Ready>(ADMIN, "GET", "/health/ready");
  await until("it is ready", async () => (await ready()).status === 200);
  reconciler.child.kill("SIGSTOP");
  await until("it is unready", async () => (await ready()).status === 503);
  const { sweep } = (await ready()).body.checks;
  expect(sweep.status).toBe("late");
  expect(sweep.ageMs).toBeGreaterThan(3 * SWEEP_MS);
  reconciler.child.kill("SIGCONT");
  await until("it is ready again", async () => (await ready()).status === 200);
});
