import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { freePort, startPostgres, type EmbeddedServer } from "#libs/embedded";
import { runProgram, startProcess, tenantWithJob, type Fixture, type HoldfastProcess } from "../support/program.js";
import { freshFolder, startPrivateRedis, type PrivateRedis } from "../support/services.js";

const dataDir = freshFolder();
/** Part of the URL of a webhook: whoever knows such a URL may use it. */
const HOOK_TOKEN = "token-in-a-url";
const IDEMPOTENCY_KEY = "idempotency-key-of-somebody";

let port: number;
let postgres: EmbeddedServer;
let redis: PrivateRedis;
let holdfast: HoldfastProcess;

beforeAll(async () => {
  port = await freePort();
  postgres = await startPostgres({ dataDir, port });
}, 60_000);
afterEach(async () => {
  await holdfast?.end("SIGTERM");
  await redis?.stop();
});
afterAll(() => postgres?.stop());

const passwordOf = (url: string) => new URL(url).password;

/** Sends bytes as they are and waits for the end of the connection. */
async function sendBytes(text: string): Promise<void> {
  const { hostname, port: at } = new URL(holdfast.url);
  const socket = connect(Number(at), hostname);
  socket.on("error", () => undefined).resume();
  socket.end(text);
  await once(socket, "close");
}

/** A key wherever a client may put it by mistake. */
async function sendEverywhere(key: string, { tenant, job }: Fixture): Promise<number[]> {
  const { adminKey } = holdfast;
  const encoded = encodeURIComponent(key);
  const send = async (as: string, method: string, path: string, body?: unknown) =>
    (await holdfast.call(as, method, path, body, key.slice(0, 255))).status;
  const user = `/v1/admin/tenants/${tenant}/users/${encoded}/allowances`;
  await sendBytes(`GET /v1/jobs?${key} HTTP/1.1\r\nHost: a\r\nX: ${key}\0\r\n\r\n`);
  await sendBytes(`POST /v1/jobs HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Length: 9\r\n\r\n{"`);
  return [
    await send(key, "GET", `/v1/jobs/${encoded}`),
    await send(key, "GET", `/v1/jobs?cursor=${encoded}`),
    await send(key, "GET", `/v1/jobs?${encoded}=1`),
    await send(key, "GET", `/${encoded}`),
    await send(key, "GET", `/v1/jobs/%zz${encoded}`),
    await send(key, "POST", "/v1/jobs", { [key]: key }),
    await send(key, "POST", "/v1/jobs", { name: key }),
    await send(key, "POST", `/v1/jobs/${job}/reservations`, { amounts: { [key]: 1 } }),
    await send(key, "POST", "/v1/batch", { operations: [{ op: key }, { op: "settle", reservationId: key }] }),
    await send(`${key}x`, "GET", "/v1/jobs"),
    await send(adminKey, "GET", user),
    await send(adminKey, "PUT", `${user}/units`, { limit: 1, timeZone: key }),
    await send(adminKey, "POST", `/v1/admin/tenants/${tenant}/allowances/units/adjust`, { delta: 1, reason: key }),
    await send(adminKey, "DELETE", `/v1/admin/tenants/${tenant}/keys/${encoded}`),
  ];
}

/** Reads and writes while a service is away: whatever there is to log about it is logged. */
async function useAll({ key, job, tenant }: Fixture): Promise<number[]> {
  const calls = [
    holdfast.call(key, "GET", "/v1/jobs"),
    holdfast.call(key, "GET", "/v1/balances"),
    holdfast.call(key, "POST", `/v1/jobs/${job}/reservations`, { amounts: { units: 1 } }, IDEMPOTENCY_KEY),
    holdfast.call(
      key,
      "POST",
      `/v1/jobs/${job}/reservations`,
      { amounts: { units: 10_000_000 } },
      `${IDEMPOTENCY_KEY}-2`,
    ),
    holdfast.call(key, "POST", "/v1/batch", {
      operations: [{ op: "reserve", jobId: job, amounts: { units: 1 }, idempotencyKey: IDEMPOTENCY_KEY }],
    }),
    holdfast.call(holdfast.adminKey, "POST", `/v1/admin/tenants/${tenant}/keys`, { name: "a" }),
    holdfast.call(holdfast.adminKey, "GET", "/v1/admin/reconcile/runs"),
  ];
  return (await Promise.all(calls)).map(({ status }) => status);
}

/** A webhook whose receiver is away, with something to send. Returns its secret. */
async function useWebhook({ tenant }: Fixture): Promise<string> {
  const path = `/v1/admin/tenants/${tenant}/webhooks/a`;
  const body = { url: `http://127.0.0.1:9/${HOOK_TOKEN}`, events: ["audit.drift"] };
  const { secret } = (await holdfast.call(holdfast.adminKey, "PUT", path, body)).body;
  const { status } = await holdfast.call(holdfast.adminKey, "POST", `${path}/ping`);
  expect([status, typeof secret]).toEqual([201, "string"]);
  return secret as string;
}

/** The Redis stays, and no longer takes the password. */
async function changeRedisPassword(): Promise<void> {
  const client = new Redis(redis.url, { lazyConnect: true });
  client.on("error", () => undefined);
  await client.config("SET", "requirepass", "another");
  await client.call("CLIENT", "KILL", "TYPE", "normal");
  client.disconnect();
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 20_000; !(await condition()); await sleep(50)) {
    if (Date.now() > end) throw new Error("not within 20 s");
  }
}

/** In each role others write the lines: the API its own, in a process that is both the reconciler the ledger's. */
it.each(["all", "api"])(
  "as %s, neither keys nor passwords are logged, whatever goes wrong",
  async (role) => {
    redis = await startPrivateRedis();
    const services = { HOLDFAST_DATABASE_URL: postgres.url, HOLDFAST_REDIS_URL: redis.url };
    const webhooks = {
      HOLDFAST_WEBHOOK_ADDRESSES: "any",
      HOLDFAST_WEBHOOK_HTTP: "allowed",
      HOLDFAST_WEBHOOK_INTERVAL_MS: "500",
      HOLDFAST_WEBHOOK_RETRY_MS: "10",
    };
    holdfast = await startProcess({ ...services, ...webhooks, HOLDFAST_ROLE: role, HOLDFAST_LOG_LEVEL: "trace" });
    const tenant = await tenantWithJob(holdfast, 1_000_000);
    const signing = await useWebhook(tenant);
    expect(await useAll(tenant)).toEqual(expect.arrayContaining([200, 201, 402]));
    for (const key of [tenant.key, holdfast.adminKey]) {
      expect(await sendEverywhere(key, tenant)).toEqual(expect.arrayContaining([400, 401, 404]));
    }
    await redis.suspend();
    await useAll(tenant);
    await redis.resume();
    await changeRedisPassword();
    await useAll(tenant);
    await redis.stop();
    await useAll(tenant);
    await postgres.stop();
    expect(await useAll(tenant)).toContain(503);
    postgres = await startPostgres({ dataDir, port });
    await until(async () => !(await useAll(tenant)).includes(503));
    const { out, err } = await holdfast.end("SIGTERM");
    const log = out + err;

    const told = ['"msg":"request"', "connection to the record was lost", "Redis is bypassed"];
    expect(told.filter((line) => !log.includes(line))).toEqual([]);
    const secrets = [tenant.key, tenant.key.slice(-20), holdfast.adminKey, IDEMPOTENCY_KEY, signing, HOOK_TOKEN];
    const passwords = [postgres.url, redis.url].map(passwordOf).filter((password) => password !== "");
    for (const secret of [...secrets, ...passwords, "Bearer ", "authorization"]) {
      expect(log.split("\n").filter((line) => line.toLowerCase().includes(secret.toLowerCase()))).toEqual([]);
    }
    // Names of things of the server's own making are what a line is found by.
    expect(log).toContain(tenant.job);
  },
  120_000,
);

describe("a start that fails", () => {
  const PASSWORD = "never-to-be-shown";
  it.each([
    ["a record that is not there", { HOLDFAST_DATABASE_URL: `postgresql://a:${PASSWORD}@127.0.0.1:1/a` }],
    ["a record that does not take the password", () => ({ HOLDFAST_DATABASE_URL: withPassword(postgres.url) })],
    ["a URL that is none", { HOLDFAST_DATABASE_URL: `postgresql//a:${PASSWORD}@127.0.0.1/a` }],
    ["a URL of another kind", { HOLDFAST_REDIS_URL: `http://:${PASSWORD}@127.0.0.1` }],
    ["a key that is none", { HOLDFAST_ADMIN_KEY: `${PASSWORD} ` }],
  ])("for %s names the variable and shows no password", async (_, settings) => {
    const given: Record<string, string> = typeof settings === "function" ? settings() : settings;
    const { code, out, err } = await runProgram("main.js", [], { HOLDFAST_PORT: "0", ...given });
    expect(code).toBe(1);
    expect(out + err).toContain(Object.keys(given)[0]);
    expect(out + err).not.toContain(PASSWORD);
  });

  const withPassword = (url: string) => {
    const changed = new URL(url);
    changed.password = PASSWORD;
    return changed.href;
  };
});
